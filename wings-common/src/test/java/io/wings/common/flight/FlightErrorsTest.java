package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.Status;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlightErrorsTest {
  private static final Set<Status.Code> KNOWN_TO_STOCK_CLIENTS =
      EnumSet.of(
          Status.Code.INVALID_ARGUMENT,
          Status.Code.NOT_FOUND,
          Status.Code.UNAUTHENTICATED,
          Status.Code.UNAVAILABLE,
          Status.Code.UNIMPLEMENTED,
          Status.Code.INTERNAL);

  @Test
  void codeComesFirstAndSurvivesTheWayThere() {
    for (ErrorKind kind : ErrorKind.values()) {
      String code = kind == ErrorKind.FENCED ? "producer-fenced" : "some-code-2";
      WingsException error = new WingsException(kind, code, "what: where\nnext (line)");
      Status status = FlightErrors.toStatus(error);
      assertTrue(KNOWN_TO_STOCK_CLIENTS.contains(status.getCode()), status.toString());
      assertTrue(String.valueOf(status.getDescription()).startsWith(code + ": what: where"));
      assertTrue(FlightErrors.isWings(status));
      WingsException back = FlightErrors.fromStatus(status);
      assertEquals(code, back.code());
      assertEquals(error.getMessage(), back.getMessage());
      assertEquals(kind == ErrorKind.CORRUPT ? ErrorKind.INTERNAL : kind, back.kind());
      assertEquals(status.getDescription(), FlightErrors.toStatus(back).getDescription());
    }
  }

  @Test
  void onlyUnavailableSaysRetry() {
    assertTrue(
        String.valueOf(
                FlightErrors.toStatus(WingsException.unavailable("busy", "later", null))
                    .getDescription())
            .endsWith("(retry: yes)"));
    assertTrue(
        String.valueOf(
                FlightErrors.toStatus(WingsException.invalid("bad", "never")).getDescription())
            .endsWith("(retry: no)"));
  }

  @Test
  void unexpectedFailuresTellNothing() {
    Status status = FlightErrors.toStatus(new IllegalStateException("s3://other-tenant/secret"));
    assertEquals(Status.Code.INTERNAL, status.getCode());
    assertFalse(String.valueOf(status.getDescription()).contains("secret"));
    assertTrue(String.valueOf(status.getDescription()).startsWith("internal: "));
  }

  @Test
  void longDescriptionsAreCut() {
    Status status = FlightErrors.toStatus(WingsException.invalid("bad", "x".repeat(100_000)));
    assertTrue(String.valueOf(status.getDescription()).length() < 2100);
    assertTrue(FlightErrors.isWings(status));
  }

  @Test
  void foreignStatusesAreLostConnections() {
    for (Status.Code code : Status.Code.values()) {
      Status status = code.toStatus().withDescription("io exception: reset (retry: yes) maybe");
      assertFalse(FlightErrors.isWings(status), code.name());
      assertFalse(FlightErrors.isWings(code.toStatus()), code.name());
    }
    assertEquals(ErrorKind.UNAVAILABLE, FlightErrors.fromStatus(Status.CANCELLED).kind());
    assertEquals("connection-lost", FlightErrors.fromStatus(Status.UNAVAILABLE).code());
    assertEquals("message-too-large", FlightErrors.fromStatus(Status.RESOURCE_EXHAUSTED).code());
    assertEquals(
        "connection-lost", FlightErrors.fromThrowable(Status.UNKNOWN.asRuntimeException()).code());
  }
}
