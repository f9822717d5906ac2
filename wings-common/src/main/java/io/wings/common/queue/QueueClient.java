package io.wings.common.queue;

import io.grpc.CallOptions;
import io.grpc.Deadline;
import io.grpc.MethodDescriptor;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.stub.ClientCalls;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.StoreException;
import io.wings.common.queue.proto.AcknowledgeRequest;
import io.wings.common.queue.proto.FailRequest;
import io.wings.common.queue.proto.HeartbeatRequest;
import io.wings.common.queue.proto.ListTasksRequest;
import io.wings.common.queue.proto.ReleaseRequest;
import io.wings.common.queue.proto.RequestTasksRequest;
import io.wings.common.queue.proto.RetryTaskRequest;
import io.wings.common.queue.proto.ScheduleRequest;
import io.wings.common.retry.Attempt;
import io.wings.common.retry.Backoff;
import io.wings.common.retry.Retry;
import io.wings.common.time.Time;
import io.wings.common.tls.ConnectionFailure;
import io.wings.common.tls.Transport;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Talks to the active broker, which it finds by reading {@code queue.json}; it looks again on any
 * doubt. Safe for use by several threads.
 */
public final class QueueClient implements TaskQueue, AutoCloseable {
  /** Attempts of one call; patience ends it long before. */
  private static final int MAX_ATTEMPTS = 1_000;

  private static final Backoff BACKOFF =
      new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2), 0.5);

  private final QueueClientSettings settings;
  private final Time time;
  private final Retry retry;
  private final BrokerFinder finder;

  /**
   * A client that hasn't looked for the broker yet.
   *
   * @param store the cluster's; not closed by this
   */
  public QueueClient(ObjectStore store, QueueClientSettings settings, Time time, Ids ids) {
    this.settings = settings;
    this.time = time;
    this.retry = new Retry(time, ids, BACKOFF);
    this.finder = new BrokerFinder(store, settings.transport());
  }

  @Override
  public void schedule(List<TaskSpec> tasks) {
    if (tasks.isEmpty()) {
      return;
    }
    call(
        QueueRpc.SCHEDULE,
        epoch -> {
          ScheduleRequest.Builder request = ScheduleRequest.newBuilder().setEpoch(epoch);
          tasks.forEach(task -> request.addTasks(QueueMessages.encode(task)));
          return request.build();
        },
        Duration.ZERO);
  }

  @Override
  public List<Lease> request(String worker, Set<String> kinds, int max, Duration wait) {
    return call(
            QueueRpc.REQUEST_TASKS,
            epoch ->
                RequestTasksRequest.newBuilder()
                    .setEpoch(epoch)
                    .setWorker(worker)
                    .addAllKinds(kinds)
                    .setMax(max)
                    .setWaitMs(wait.toMillis())
                    .build(),
            wait)
        .getLeasesList()
        .stream()
        .map(QueueMessages::decode)
        .toList();
  }

  @Override
  public boolean acknowledge(String leaseId) {
    return call(
            QueueRpc.ACKNOWLEDGE,
            epoch -> AcknowledgeRequest.newBuilder().setEpoch(epoch).setLeaseId(leaseId).build(),
            Duration.ZERO)
        .getHeld();
  }

  @Override
  public boolean fail(String leaseId, String error, @Nullable Duration retryAfter) {
    return call(
            QueueRpc.FAIL,
            epoch -> {
              FailRequest.Builder request =
                  FailRequest.newBuilder().setEpoch(epoch).setLeaseId(leaseId).setError(error);
              if (retryAfter != null) {
                request.setRetryAfterMs(retryAfter.toMillis());
              }
              return request.build();
            },
            Duration.ZERO)
        .getHeld();
  }

  @Override
  public Set<String> heartbeat(List<String> leaseIds) {
    if (leaseIds.isEmpty()) {
      return Set.of();
    }
    return new LinkedHashSet<>(
        call(
                QueueRpc.HEARTBEAT,
                epoch ->
                    HeartbeatRequest.newBuilder().setEpoch(epoch).addAllLeaseIds(leaseIds).build(),
                Duration.ZERO)
            .getLeaseIdsList());
  }

  @Override
  public void release(List<String> leaseIds) {
    if (!leaseIds.isEmpty()) {
      call(
          QueueRpc.RELEASE,
          epoch -> ReleaseRequest.newBuilder().setEpoch(epoch).addAllLeaseIds(leaseIds).build(),
          Duration.ZERO);
    }
  }

  @Override
  public List<Task> list() {
    return call(
            QueueRpc.LIST_TASKS,
            epoch -> ListTasksRequest.newBuilder().setEpoch(epoch).build(),
            Duration.ZERO)
        .getTasksList()
        .stream()
        .map(QueueMessages::decode)
        .toList();
  }

  @Override
  public boolean retry(String key) {
    return call(
            QueueRpc.RETRY_TASK,
            epoch -> RetryTaskRequest.newBuilder().setEpoch(epoch).setKey(key).build(),
            Duration.ZERO)
        .getFound();
  }

  private <A, B> B call(
      MethodDescriptor<A, B> method, LongFunction<A> request, Duration longerThanUsual) {
    long start = time.nanos();
    Duration patience = settings.patience().plus(longerThanUsual);
    Duration timeout = settings.rpcTimeout().plus(longerThanUsual);
    return retry.run(
        "call of the broker",
        MAX_ATTEMPTS,
        _ -> {
          Attempt<B> attempt = attempt(method, request, timeout);
          if (attempt instanceof Attempt.Again<B>(String reason, Throwable cause)
              && time.since(start).compareTo(patience) >= 0) {
            throw WingsException.unavailable(
                "broker-unavailable",
                method.getBareMethodName() + ": no answer within " + patience + "; " + reason,
                cause);
          }
          return attempt;
        });
  }

  private <A, B> Attempt<B> attempt(
      MethodDescriptor<A, B> method, LongFunction<A> request, Duration timeout) {
    BrokerFinder.Found broker;
    try {
      broker = finder.find();
    } catch (StoreException e) {
      return Attempt.again("queue.json can't be read: " + e.getMessage(), e);
    }
    if (broker == null) {
      return Attempt.again("queue.json names no broker: has one been started?");
    }
    CallOptions options =
        CallOptions.DEFAULT.withDeadline(Deadline.after(timeout.toNanos(), TimeUnit.NANOSECONDS));
    if (settings.token() != null) {
      options = options.withCallCredentials(settings.token().credentials());
    }
    try {
      return Attempt.done(
          ClientCalls.blockingUnaryCall(
              broker.channel(), method, options, request.apply(broker.epoch())));
    } catch (StatusRuntimeException e) {
      if (Thread.currentThread().isInterrupted()) {
        throw WingsException.unavailable("interrupted", "a call of the broker was stopped", e);
      }
      throwIfFinal(e);
      finder.doubt(broker);
      return Attempt.again(
          "broker " + broker.address() + ": " + ConnectionFailure.line(e) + hint(e.getStatus()), e);
    }
  }

  /** A broker that asks for TLS only hangs up on who comes without it. */
  private String hint(Status status) {
    boolean hungUp =
        status.getCode() == Status.Code.UNAVAILABLE
            && String.valueOf(status.getDescription()).contains("Network closed");
    return hungUp && settings.transport() instanceof Transport.Plaintext
        ? "; where the roles have --cluster-cert, --cluster-key and --cluster-ca, say them here too"
        : "";
  }

  /** What another attempt can't cure. */
  private static void throwIfFinal(StatusRuntimeException e) {
    Status status = e.getStatus();
    String description = String.valueOf(status.getDescription());
    int colon = description.indexOf(": ");
    String code = colon < 0 ? "broker-refused" : description.substring(0, colon);
    String detail = colon < 0 ? description : description.substring(colon + 2);
    switch (status.getCode()) {
      case INVALID_ARGUMENT -> throw WingsException.invalid(code, detail);
      case RESOURCE_EXHAUSTED -> throw WingsException.unavailable(code, detail, e);
      case UNAUTHENTICATED -> throw new WingsException(ErrorKind.UNAUTHENTICATED, code, detail, e);
      case UNIMPLEMENTED -> throw new WingsException(ErrorKind.INTERNAL, code, detail, e);
      default -> {
        // Another broker, or the same one later.
      }
    }
  }

  /** Cancels calls under way. */
  @Override
  public void close() {
    finder.close();
  }
}
