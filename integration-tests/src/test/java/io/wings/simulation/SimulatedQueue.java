package io.wings.simulation;

import io.wings.broker.core.Command;
import io.wings.broker.core.Reply;
import io.wings.broker.loop.Answer;
import io.wings.broker.loop.Broker;
import io.wings.broker.loop.Call;
import io.wings.common.cluster.Keys;
import io.wings.common.config.HostPort;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import io.wings.common.queue.Lease;
import io.wings.common.queue.QueueCodec;
import io.wings.common.queue.QueueFile;
import io.wings.common.queue.Task;
import io.wings.common.queue.TaskQueue;
import io.wings.common.queue.TaskSpec;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.simulation.kernel.Mailbox;
import io.wings.simulation.kernel.Network;
import io.wings.simulation.kernel.SimulatedProcess;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The broker as a process of the run sees it: found through {@code queue.json}, called over the
 * network.
 */
final class SimulatedQueue implements TaskQueue {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(20);
  private static final int MAX_ATTEMPTS = 1_000;
  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2), 0.5);

  private final World world;
  private final SimulatedProcess process;
  private final ObjectStore store;
  private final Time time;
  private final Retry retry;
  private QueueFile.@Nullable Broker known;

  SimulatedQueue(World world, SimulatedProcess process, ObjectStore store) {
    this.world = world;
    this.process = process;
    this.store = store;
    this.time = process.time();
    this.retry = new Retry(time, process.ids(), BACKOFF);
  }

  @Override
  public void schedule(List<TaskSpec> tasks) {
    long asked = world.scheduler().now();
    switch (call(new Command.Schedule(tasks), Duration.ZERO)) {
      case Reply.Full _ -> throw WingsException.unavailable("queue-full", "in a simulation", null);
      case Reply _ ->
          tasks.stream()
              .filter(task -> !OddTasks.isOdd(task.kind()))
              .forEach(task -> world.wakeUps().scheduled(task.key(), asked));
    }
  }

  @Override
  public List<Lease> request(String worker, Set<String> kinds, int max, Duration wait) {
    return ((Reply.Granted) call(new Command.Request(worker, kinds, max), wait)).leases();
  }

  @Override
  public boolean acknowledge(String leaseId) {
    return ((Reply.Settled) call(new Command.Acknowledge(leaseId), Duration.ZERO)).held();
  }

  @Override
  public boolean fail(String leaseId, String error, @Nullable Duration retryAfter) {
    return ((Reply.Settled) call(new Command.Fail(leaseId, error, retryAfter), Duration.ZERO))
        .held();
  }

  @Override
  public Set<String> heartbeat(List<String> leaseIds) {
    return ((Reply.Alive) call(new Command.Heartbeat(leaseIds), Duration.ZERO)).leaseIds();
  }

  @Override
  public void release(List<String> leaseIds) {
    Reply _ = call(new Command.Release(leaseIds), Duration.ZERO);
  }

  @Override
  public List<Task> list() {
    return ((Reply.Listed) call(new Command.ListTasks(), Duration.ZERO)).tasks();
  }

  @Override
  public boolean retry(String key) {
    return ((Reply.Retried) call(new Command.Retry(key), Duration.ZERO)).found();
  }

  private Reply call(Command command, Duration hold) {
    long start = time.nanos();
    return retry.run(
        "call of the broker",
        MAX_ATTEMPTS,
        _ -> {
          Attempt<Reply> attempt = attempt(command, hold);
          if (attempt instanceof Attempt.Again<Reply>(String reason, Throwable cause)
              && time.since(start).compareTo(PATIENCE.plus(hold)) >= 0) {
            throw WingsException.unavailable("broker-unavailable", reason, cause);
          }
          return attempt;
        });
  }

  private Attempt<Reply> attempt(Command command, Duration hold) {
    QueueFile.Broker broker = known;
    try {
      if (broker == null) {
        Optional<StoredObject> start = store.getRange(Keys.QUEUE, 0, QueueCodec.HEADER_BYTES);
        if (start.isEmpty()) {
          return Attempt.again("no queue.json yet");
        }
        broker = QueueCodec.decodeBroker(start.get().bytes());
        if (broker.address().isEmpty()) {
          return Attempt.again("the broker has stepped down");
        }
        known = broker;
      }
    } catch (StoreException e) {
      return Attempt.again(String.valueOf(e.getMessage()), e);
    }
    Answer answer = ask(broker, command, hold);
    return switch (answer) {
      case Answer.Done(Reply reply) -> Attempt.done(reply);
      case Answer.LookAgain(), Answer.Busy() -> {
        known = null;
        yield Attempt.again("look again");
      }
    };
  }

  private Answer ask(QueueFile.Broker broker, Command command, Duration hold) {
    String host = HostPort.parse(broker.address()).host();
    List<Call> begun = new ArrayList<>();
    try {
      return world
          .network()
          .call(
              process,
              host,
              TIMEOUT.plus(hold),
              () -> serve(world.broker(host), broker.epoch(), command, hold, begun));
    } catch (Network.Unreachable _) {
      // A transport that gives a call up tells the server, if it can.
      world.network().send(process.name(), host, () -> begun.forEach(Call::cancel));
      return new Answer.LookAgain();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw WingsException.unavailable("interrupted", "a call of the broker was stopped", e);
    } catch (RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  /** On a thread of the broker's. */
  private Answer serve(Broker broker, long epoch, Command command, Duration hold, List<Call> begun)
      throws InterruptedException {
    Mailbox<Answer> answers = new Mailbox<>(world.scheduler());
    long atArrival = world.queueChecker().epoch();
    begun.add(broker.submit(epoch, command, hold, answers::put));
    Answer answer = answers.take();
    if (answer instanceof Answer.Done) {
      world.queueChecker().answered(epoch, atArrival);
    }
    return answer;
  }
}
