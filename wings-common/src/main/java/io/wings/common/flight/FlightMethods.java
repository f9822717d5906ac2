package io.wings.common.flight;

import io.grpc.MethodDescriptor;
import io.grpc.ServiceDescriptor;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.FlightServiceGrpc;

/**
 * The methods of {@code arrow.flight.protocol.FlightService}, with data messages as {@link
 * FlightFrame}s. Server and client both take them from here, so that record batch bodies are never
 * decoded on the way.
 */
public final class FlightMethods {
  public static final MethodDescriptor<Flight.HandshakeRequest, Flight.HandshakeResponse>
      HANDSHAKE = FlightServiceGrpc.getHandshakeMethod();

  public static final MethodDescriptor<Flight.Criteria, Flight.FlightInfo> LIST_FLIGHTS =
      FlightServiceGrpc.getListFlightsMethod();

  public static final MethodDescriptor<Flight.FlightDescriptor, Flight.FlightInfo> GET_FLIGHT_INFO =
      FlightServiceGrpc.getGetFlightInfoMethod();

  public static final MethodDescriptor<Flight.FlightDescriptor, Flight.PollInfo> POLL_FLIGHT_INFO =
      FlightServiceGrpc.getPollFlightInfoMethod();

  public static final MethodDescriptor<Flight.FlightDescriptor, Flight.SchemaResult> GET_SCHEMA =
      FlightServiceGrpc.getGetSchemaMethod();

  public static final MethodDescriptor<Flight.Ticket, FlightFrame> DO_GET =
      FlightServiceGrpc.getDoGetMethod().toBuilder(
              FlightServiceGrpc.getDoGetMethod().getRequestMarshaller(),
              FlightFrame.Marshaller.INSTANCE)
          .build();

  public static final MethodDescriptor<FlightFrame, Flight.PutResult> DO_PUT =
      FlightServiceGrpc.getDoPutMethod().toBuilder(
              FlightFrame.Marshaller.INSTANCE,
              FlightServiceGrpc.getDoPutMethod().getResponseMarshaller())
          .build();

  public static final MethodDescriptor<FlightFrame, FlightFrame> DO_EXCHANGE =
      FlightServiceGrpc.getDoExchangeMethod().toBuilder(
              FlightFrame.Marshaller.INSTANCE, FlightFrame.Marshaller.INSTANCE)
          .build();

  public static final MethodDescriptor<Flight.Action, Flight.Result> DO_ACTION =
      FlightServiceGrpc.getDoActionMethod();

  public static final MethodDescriptor<Flight.Empty, Flight.ActionType> LIST_ACTIONS =
      FlightServiceGrpc.getListActionsMethod();

  /** All of the above, for {@code ServerServiceDefinition.builder}. */
  public static final ServiceDescriptor SERVICE =
      ServiceDescriptor.newBuilder(FlightServiceGrpc.SERVICE_NAME)
          .addMethod(HANDSHAKE)
          .addMethod(LIST_FLIGHTS)
          .addMethod(GET_FLIGHT_INFO)
          .addMethod(POLL_FLIGHT_INFO)
          .addMethod(GET_SCHEMA)
          .addMethod(DO_GET)
          .addMethod(DO_PUT)
          .addMethod(DO_EXCHANGE)
          .addMethod(DO_ACTION)
          .addMethod(LIST_ACTIONS)
          .build();

  private FlightMethods() {}
}
