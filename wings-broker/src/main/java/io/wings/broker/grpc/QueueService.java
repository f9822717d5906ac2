package io.wings.broker.grpc;

import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import io.wings.broker.core.Command;
import io.wings.broker.core.Reply;
import io.wings.broker.loop.Answer;
import io.wings.broker.loop.Broker;
import io.wings.broker.loop.Call;
import io.wings.common.error.WingsException;
import io.wings.common.queue.QueueMessages;
import io.wings.common.queue.QueueRpc;
import io.wings.common.queue.proto.AcknowledgeRequest;
import io.wings.common.queue.proto.FailRequest;
import io.wings.common.queue.proto.HeartbeatReply;
import io.wings.common.queue.proto.HeartbeatRequest;
import io.wings.common.queue.proto.ListTasksReply;
import io.wings.common.queue.proto.ListTasksRequest;
import io.wings.common.queue.proto.ReleaseRequest;
import io.wings.common.queue.proto.RequestTasksReply;
import io.wings.common.queue.proto.RequestTasksRequest;
import io.wings.common.queue.proto.RetryTaskReply;
import io.wings.common.queue.proto.RetryTaskRequest;
import io.wings.common.queue.proto.ScheduleReply;
import io.wings.common.queue.proto.ScheduleRequest;
import io.wings.common.queue.proto.SettleReply;
import java.time.Duration;
import java.util.HashSet;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/** See {@code wings/queue/v1/queue.proto}. Never blocks: the loop's thread sends the answers. */
public final class QueueService {
  private final Broker broker;

  public QueueService(Broker broker) {
    this.broker = broker;
  }

  public ServerServiceDefinition definition() {
    return ServerServiceDefinition.builder(QueueRpc.SERVICE)
        .addMethod(QueueRpc.SCHEDULE, ServerCalls.asyncUnaryCall(this::schedule))
        .addMethod(QueueRpc.REQUEST_TASKS, ServerCalls.asyncUnaryCall(this::requestTasks))
        .addMethod(QueueRpc.ACKNOWLEDGE, ServerCalls.asyncUnaryCall(this::acknowledge))
        .addMethod(QueueRpc.FAIL, ServerCalls.asyncUnaryCall(this::fail))
        .addMethod(QueueRpc.HEARTBEAT, ServerCalls.asyncUnaryCall(this::heartbeat))
        .addMethod(QueueRpc.LIST_TASKS, ServerCalls.asyncUnaryCall(this::listTasks))
        .addMethod(QueueRpc.RETRY_TASK, ServerCalls.asyncUnaryCall(this::retryTask))
        .addMethod(QueueRpc.RELEASE, ServerCalls.asyncUnaryCall(this::release))
        .build();
  }

  private void schedule(ScheduleRequest request, StreamObserver<ScheduleReply> observer) {
    checked(
        observer,
        () -> {
          requireCount("tasks", request.getTasksCount(), 1, QueueRpc.MAX_ITEMS);
          Command command =
              new Command.Schedule(
                  request.getTasksList().stream().map(QueueMessages::decode).toList());
          submit(request.getEpoch(), command, observer, _ -> ScheduleReply.getDefaultInstance());
        });
  }

  private void requestTasks(
      RequestTasksRequest request, StreamObserver<RequestTasksReply> observer) {
    checked(
        observer,
        () -> {
          requireCount("kinds", request.getKindsCount(), 1, QueueRpc.MAX_ITEMS);
          requireCount("max", request.getMax(), 1, QueueRpc.MAX_ITEMS);
          Command command =
              new Command.Request(
                  request.getWorker(), new HashSet<>(request.getKindsList()), request.getMax());
          submit(
              request.getEpoch(),
              command,
              Duration.ofMillis(Math.max(0, request.getWaitMs())),
              observer,
              reply -> {
                RequestTasksReply.Builder message = RequestTasksReply.newBuilder();
                ((Reply.Granted) reply)
                    .leases()
                    .forEach(lease -> message.addLeases(QueueMessages.encode(lease)));
                return message.build();
              });
        });
  }

  private void acknowledge(AcknowledgeRequest request, StreamObserver<SettleReply> observer) {
    submit(
        request.getEpoch(),
        new Command.Acknowledge(request.getLeaseId()),
        observer,
        QueueService::settled);
  }

  private void fail(FailRequest request, StreamObserver<SettleReply> observer) {
    checked(
        observer,
        () -> {
          if (request.getRetryAfterMs() < 0) {
            throw invalid("retry_after_ms must not be negative");
          }
          Command command =
              new Command.Fail(
                  request.getLeaseId(),
                  request.getError(),
                  Duration.ofMillis(request.getRetryAfterMs()));
          submit(request.getEpoch(), command, observer, QueueService::settled);
        });
  }

  private static SettleReply settled(Reply reply) {
    return SettleReply.newBuilder().setHeld(((Reply.Settled) reply).held()).build();
  }

  private void heartbeat(HeartbeatRequest request, StreamObserver<HeartbeatReply> observer) {
    checked(
        observer,
        () -> {
          requireCount("lease_ids", request.getLeaseIdsCount(), 1, QueueRpc.MAX_ITEMS);
          submit(
              request.getEpoch(),
              new Command.Heartbeat(request.getLeaseIdsList()),
              observer,
              reply ->
                  HeartbeatReply.newBuilder()
                      .addAllLeaseIds(((Reply.Alive) reply).leaseIds())
                      .build());
        });
  }

  private void listTasks(ListTasksRequest request, StreamObserver<ListTasksReply> observer) {
    submit(
        request.getEpoch(),
        new Command.ListTasks(),
        observer,
        reply -> {
          ListTasksReply.Builder message = ListTasksReply.newBuilder();
          ((Reply.Listed) reply)
              .tasks()
              .forEach(task -> message.addTasks(QueueMessages.encode(task)));
          return message.build();
        });
  }

  private void retryTask(RetryTaskRequest request, StreamObserver<RetryTaskReply> observer) {
    submit(
        request.getEpoch(),
        new Command.Retry(request.getKey()),
        observer,
        reply -> RetryTaskReply.newBuilder().setFound(((Reply.Retried) reply).found()).build());
  }

  private void release(ReleaseRequest request, StreamObserver<SettleReply> observer) {
    checked(
        observer,
        () -> {
          requireCount("lease_ids", request.getLeaseIdsCount(), 1, QueueRpc.MAX_ITEMS);
          submit(
              request.getEpoch(),
              new Command.Release(request.getLeaseIdsList()),
              observer,
              QueueService::settled);
        });
  }

  private static void requireCount(String what, int count, int min, int max) {
    if (count < min || count > max) {
      throw invalid(what + ": expected " + min + " to " + max + ", got " + count);
    }
  }

  private static WingsException invalid(String detail) {
    return WingsException.invalid("invalid-request", detail);
  }

  /** Runs {@code work}; what it refuses is the caller's fault. */
  private static <T> void checked(StreamObserver<T> observer, Runnable work) {
    try {
      work.run();
    } catch (WingsException e) {
      observer.onError(Status.INVALID_ARGUMENT.withDescription(e.getMessage()).asException());
    }
  }

  private <T> void submit(
      long epoch, Command command, StreamObserver<T> observer, Function<Reply, T> toMessage) {
    submit(epoch, command, Duration.ZERO, observer, toMessage);
  }

  private <T> void submit(
      long epoch,
      Command command,
      Duration hold,
      StreamObserver<T> observer,
      Function<Reply, T> toMessage) {
    ServerCallStreamObserver<T> stream = (ServerCallStreamObserver<T>) observer;
    Cancellation cancellation = new Cancellation();
    stream.setOnCancelHandler(cancellation::cancel);
    cancellation.of(broker.submit(epoch, command, hold, answer -> send(answer, stream, toMessage)));
  }

  /** A client may go before the call that its going cancels is known. */
  private static final class Cancellation {
    private final AtomicReference<Call> call = new AtomicReference<>();
    private volatile boolean cancelled;

    void of(Call call) {
      this.call.set(call);
      if (cancelled) {
        call.cancel();
      }
    }

    void cancel() {
      cancelled = true;
      Call known = call.get();
      if (known != null) {
        known.cancel();
      }
    }
  }

  private static <T> void send(
      Answer answer, StreamObserver<T> observer, Function<Reply, T> toMessage) {
    switch (answer) {
      case Answer.Done(Reply.Full full) ->
          observer.onError(
              Status.RESOURCE_EXHAUSTED
                  .withDescription(
                      "queue-full: the tasks of %s would take %s, but its share of the queue is %s; the sweep finds the work later, fix or forget what keeps failing (`wings queue list`)"
                          .formatted(
                              full.catalog().isEmpty() ? "no catalog" : "catalog " + full.catalog(),
                              full.needed(),
                              full.share()))
                  .asException());
      case Answer.Done(Reply reply) -> {
        observer.onNext(toMessage.apply(reply));
        observer.onCompleted();
      }
      case Answer.LookAgain() ->
          observer.onError(
              Status.FAILED_PRECONDITION
                  .withDescription(
                      QueueRpc.LOOK_AGAIN
                          + ": not the active broker of this epoch; read queue.json")
                  .asException());
      case Answer.Busy() ->
          observer.onError(
              Status.UNAVAILABLE
                  .withDescription("broker-busy: too many calls wait; try again later")
                  .asException());
    }
  }
}
