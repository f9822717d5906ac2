package io.wings.ingestor;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.MetadataUtils;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply;
import io.wings.common.flight.FlightMethods;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.ListRequest;
import io.wings.common.flight.TableName;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;

/** Actions and look-ups as a load balancer makes them. */
final class ActionClient {
  private final Channel channel;

  ActionClient(Channel channel) {
    this(channel, IngestorKit.IDENTITY.headers(IngestorKit.PRINCIPAL));
  }

  ActionClient(Channel channel, Metadata headers) {
    this.channel =
        ClientInterceptors.intercept(channel, MetadataUtils.newAttachHeadersInterceptor(headers));
  }

  <T extends ActionReply> T run(Class<T> type, ActionBody body) {
    Iterator<Flight.Result> results =
        ClientCalls.blockingServerStreamingCall(
            channel, FlightMethods.DO_ACTION, CallOptions.DEFAULT, body.toAction());
    T reply = ActionReply.of(type, results.next().getBody());
    if (results.hasNext()) {
      throw new AssertionError("more than one result");
    }
    return reply;
  }

  ActionReply.ProducerOpened openProducer(String producer) {
    return run(
        ActionReply.ProducerOpened.class,
        new ActionBody.OpenProducer(IngestorKit.MAIN, List.of("db"), "t", producer));
  }

  Flight.SchemaResult schema(TableName name) {
    return ClientCalls.blockingUnaryCall(
        channel, FlightMethods.GET_SCHEMA, CallOptions.DEFAULT, name.toDescriptor());
  }

  Flight.FlightInfo info(TableName name) {
    return ClientCalls.blockingUnaryCall(
        channel, FlightMethods.GET_FLIGHT_INFO, CallOptions.DEFAULT, name.toDescriptor());
  }

  /** As a load balancer of an older version asks. */
  List<Flight.FlightInfo> list(ListRequest request) {
    return list(new ListDemand(request, null));
  }

  List<Flight.FlightInfo> list(ListDemand demand) {
    List<Flight.FlightInfo> all = new ArrayList<>();
    ClientCalls.blockingServerStreamingCall(
            channel, FlightMethods.LIST_FLIGHTS, CallOptions.DEFAULT, demand.toCriteria())
        .forEachRemaining(all::add);
    return all;
  }

  List<Flight.ActionType> actions() {
    List<Flight.ActionType> all = new ArrayList<>();
    ClientCalls.blockingServerStreamingCall(
            channel,
            FlightMethods.LIST_ACTIONS,
            CallOptions.DEFAULT,
            Flight.Empty.getDefaultInstance())
        .forEachRemaining(all::add);
    return all;
  }
}
