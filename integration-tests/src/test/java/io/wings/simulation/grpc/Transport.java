package io.wings.simulation.grpc;

import io.grpc.ManagedChannel;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServerStreamTracer;
import io.grpc.Status;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.Scheduler;
import io.wings.simulation.kernel.SimulatedProcess;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** All gRPC of a run: who serves what, and the channels to it. */
public final class Transport {
  /** Sees what clients of all calls send, and how their calls end for them. */
  public interface Watcher {
    /**
     * A message left the client.
     *
     * @param call stands for the call, by identity
     */
    void sent(SimulatedProcess from, SimulatedProcess to, Object call, Object message);

    void ended(SimulatedProcess from, SimulatedProcess to, Object call, Status status);
  }

  /** What one process serves. */
  record Server(
      List<ServerStreamTracer.Factory> tracers,
      Map<String, ServerMethodDefinition<?, ?>> methods,
      boolean stopping) {
    Server stopped() {
      return new Server(tracers, methods, true);
    }

    ServerMethodDefinition<?, ?> method(String name) {
      ServerMethodDefinition<?, ?> method = methods.get(name);
      if (method == null) {
        throw new IllegalStateException("nobody serves " + name);
      }
      return method;
    }
  }

  private final Scheduler scheduler;
  private final Network network;
  private final Watcher watcher;
  private final Map<SimulatedProcess, Server> servers = new HashMap<>();

  public Transport(Scheduler scheduler, Network network, Watcher watcher) {
    this.scheduler = scheduler;
    this.network = network;
    this.watcher = watcher;
  }

  /** {@code process} serves this from now on. */
  public void serve(
      SimulatedProcess process,
      ServerStreamTracer.Factory tracer,
      List<ServerServiceDefinition> services) {
    Map<String, ServerMethodDefinition<?, ?>> methods = new HashMap<>();
    for (ServerServiceDefinition service : services) {
      service
          .getMethods()
          .forEach(method -> methods.put(method.getMethodDescriptor().getFullMethodName(), method));
    }
    servers.put(process, new Server(List.of(tracer), methods, false));
    process.onDeath(() -> servers.remove(process));
  }

  /** Nobody connects to {@code process} any more, and whoever is connected makes no more calls. */
  public void stopServing(SimulatedProcess process) {
    servers.computeIfPresent(process, (_, server) -> server.stopped());
  }

  /** A channel of {@code client} to whoever answers under {@code name}. */
  public ManagedChannel connect(SimulatedProcess client, String name) {
    return new Channel(this, client, name);
  }

  Server server(SimulatedProcess process) {
    Server server = servers.get(process);
    if (server == null) {
      throw new IllegalStateException(process.name() + " serves nothing");
    }
    return server;
  }

  /** Whether it takes another call. */
  boolean serves(SimulatedProcess process) {
    Server server = servers.get(process);
    return server != null && !server.stopping;
  }

  /** Whether it has told everybody to go elsewhere. */
  boolean isStopping(SimulatedProcess process) {
    Server server = servers.get(process);
    return server != null && server.stopping;
  }

  Scheduler scheduler() {
    return scheduler;
  }

  Network network() {
    return network;
  }

  Watcher watcher() {
    return watcher;
  }
}
