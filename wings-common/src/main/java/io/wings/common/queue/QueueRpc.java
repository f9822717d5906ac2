package io.wings.common.queue;

import com.google.protobuf.Message;
import io.grpc.MethodDescriptor;
import io.grpc.protobuf.ProtoUtils;
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

/**
 * The methods of the broker's service, as {@code queue.proto} defines them. Written by hand, so
 * that the build needs no native gRPC generator.
 */
public final class QueueRpc {
  public static final String SERVICE = "wings.queue.v1.TaskBroker";

  /** The largest message either way: a whole queue, listed. In bytes. */
  public static final int MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

  /** In one schedule or heartbeat. */
  public static final int MAX_ITEMS = 1_000;

  /** Begins the description of the status that sends a client back to {@code queue.json}. */
  public static final String LOOK_AGAIN = "look-again";

  public static final MethodDescriptor<ScheduleRequest, ScheduleReply> SCHEDULE =
      unary("Schedule", ScheduleRequest.getDefaultInstance(), ScheduleReply.getDefaultInstance());
  public static final MethodDescriptor<RequestTasksRequest, RequestTasksReply> REQUEST_TASKS =
      unary(
          "RequestTasks",
          RequestTasksRequest.getDefaultInstance(),
          RequestTasksReply.getDefaultInstance());
  public static final MethodDescriptor<AcknowledgeRequest, SettleReply> ACKNOWLEDGE =
      unary(
          "Acknowledge", AcknowledgeRequest.getDefaultInstance(), SettleReply.getDefaultInstance());
  public static final MethodDescriptor<FailRequest, SettleReply> FAIL =
      unary("Fail", FailRequest.getDefaultInstance(), SettleReply.getDefaultInstance());
  public static final MethodDescriptor<HeartbeatRequest, HeartbeatReply> HEARTBEAT =
      unary(
          "Heartbeat", HeartbeatRequest.getDefaultInstance(), HeartbeatReply.getDefaultInstance());
  public static final MethodDescriptor<ListTasksRequest, ListTasksReply> LIST_TASKS =
      unary(
          "ListTasks", ListTasksRequest.getDefaultInstance(), ListTasksReply.getDefaultInstance());
  public static final MethodDescriptor<RetryTaskRequest, RetryTaskReply> RETRY_TASK =
      unary(
          "RetryTask", RetryTaskRequest.getDefaultInstance(), RetryTaskReply.getDefaultInstance());

  public static final MethodDescriptor<ReleaseRequest, SettleReply> RELEASE =
      unary("Release", ReleaseRequest.getDefaultInstance(), SettleReply.getDefaultInstance());

  private QueueRpc() {}

  private static <A extends Message, B extends Message> MethodDescriptor<A, B> unary(
      String name, A request, B reply) {
    return MethodDescriptor.<A, B>newBuilder()
        .setType(MethodDescriptor.MethodType.UNARY)
        .setFullMethodName(MethodDescriptor.generateFullMethodName(SERVICE, name))
        .setRequestMarshaller(ProtoUtils.marshaller(request))
        .setResponseMarshaller(ProtoUtils.marshaller(reply))
        .build();
  }
}
