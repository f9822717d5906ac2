package io.wings.common.flight;

import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.StatusRuntimeException;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one mapping between errors and gRPC statuses. A status's description is the error's message,
 * so its first word is the stable code, then whether a retry can help: {@code schema-mismatch:
 * column 'a' … (retry: no)}.
 *
 * <p>Statuses are chosen by what stock clients make of them: pyarrow raises RESOURCE_EXHAUSTED as
 * ArrowInvalid and ABORTED as FlightInternalError, and Java's Flight has no ABORTED; so neither is
 * used.
 */
public final class FlightErrors {
  private static final Logger log = LoggerFactory.getLogger(FlightErrors.class);

  /** Longer descriptions make headers that stock clients refuse. */
  private static final int MAX_DESCRIPTION_CHARS = 2000;

  private static final String RETRY = " (retry: yes)";
  private static final String NO_RETRY = " (retry: no)";
  private static final Pattern DESCRIPTION =
      Pattern.compile(
          "([a-z][a-z0-9]*(?:-[a-z0-9]+)*): (.*?)(?: \\(retry: (?:yes|no)\\))?", Pattern.DOTALL);

  private FlightErrors() {}

  /** For ending a call. */
  public static Status toStatus(Throwable error) {
    return switch (error) {
      case WingsException e -> toStatus(e);
      case StatusRuntimeException e -> e.getStatus();
      case StatusException e -> e.getStatus();
      default -> {
        log.error("unexpected failure of a call", error);
        yield toStatus(
            new WingsException(
                ErrorKind.INTERNAL, "internal", "an unexpected failure; the server's log has it"));
      }
    };
  }

  private static Status toStatus(WingsException error) {
    Status.Code code =
        switch (error.kind()) {
          // A closed lane has a successor soon: the same sequences may be sent there.
          case FENCED ->
              error.code().equals("lane-closed")
                  ? Status.Code.UNAVAILABLE
                  : Status.Code.INVALID_ARGUMENT;
          case INVALID -> Status.Code.INVALID_ARGUMENT;
          case NOT_FOUND -> Status.Code.NOT_FOUND;
          case UNAUTHENTICATED -> Status.Code.UNAUTHENTICATED;
          case UNAVAILABLE -> Status.Code.UNAVAILABLE;
          case UNSUPPORTED -> Status.Code.UNIMPLEMENTED;
          case CORRUPT, INTERNAL -> Status.Code.INTERNAL;
        };
    String message = String.valueOf(error.getMessage());
    if (message.length() > MAX_DESCRIPTION_CHARS) {
      message = message.substring(0, MAX_DESCRIPTION_CHARS) + "…";
    }
    String suffix = code == Status.Code.UNAVAILABLE ? RETRY : NO_RETRY;
    return code.toStatus().withDescription(message + suffix);
  }

  public static StatusRuntimeException toException(Throwable error) {
    return toStatus(error).asRuntimeException();
  }

  /** Whether {@code status} was made by {@link #toStatus}, here or at the other end. */
  public static boolean isWings(Status status) {
    return parsed(status).isPresent();
  }

  /**
   * The error that the other end meant. A status that isn't Wings' own (the connection broke, a
   * deadline passed) becomes {@code connection-lost} of kind UNAVAILABLE, or {@code
   * message-too-large} of kind INVALID.
   */
  public static WingsException fromStatus(Status status) {
    Optional<Matcher> parsed = parsed(status);
    if (parsed.isEmpty()) {
      return foreign(status);
    }
    String code = parsed.get().group(1);
    ErrorKind kind =
        switch (status.getCode()) {
          case INVALID_ARGUMENT ->
              code.equals("producer-fenced") ? ErrorKind.FENCED : ErrorKind.INVALID;
          case NOT_FOUND -> ErrorKind.NOT_FOUND;
          case UNAUTHENTICATED -> ErrorKind.UNAUTHENTICATED;
          case UNAVAILABLE -> ErrorKind.UNAVAILABLE;
          case UNIMPLEMENTED -> ErrorKind.UNSUPPORTED;
          default -> ErrorKind.INTERNAL;
        };
    return new WingsException(kind, code, parsed.get().group(2), status.getCause());
  }

  /** The same, for a call that failed with an exception. */
  public static WingsException fromThrowable(Throwable error) {
    return switch (error) {
      case WingsException e -> e;
      default -> fromStatus(Status.fromThrowable(error));
    };
  }

  private static Optional<Matcher> parsed(Status status) {
    String description = status.getDescription();
    if (description == null) {
      return Optional.empty();
    }
    boolean ours =
        switch (status.getCode()) {
          case INVALID_ARGUMENT, NOT_FOUND, UNAUTHENTICATED, UNAVAILABLE, UNIMPLEMENTED, INTERNAL ->
              description.endsWith(RETRY) || description.endsWith(NO_RETRY);
          default -> false;
        };
    Matcher matcher = DESCRIPTION.matcher(description);
    return ours && matcher.matches() ? Optional.of(matcher) : Optional.empty();
  }

  private static WingsException foreign(Status status) {
    String text = status.getCode() + described(status.getDescription());
    return switch (status.getCode()) {
      case RESOURCE_EXHAUSTED ->
          new WingsException(
              ErrorKind.INVALID,
              "message-too-large",
              "the peer refused: " + text,
              status.getCause());
      case UNIMPLEMENTED ->
          new WingsException(
              ErrorKind.UNSUPPORTED,
              "unsupported",
              "the peer doesn't know this call: " + text,
              status.getCause());
      case OK, INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, OUT_OF_RANGE ->
          new WingsException(ErrorKind.INTERNAL, "unexpected-status", text, status.getCause());
      case UNAUTHENTICATED ->
          new WingsException(ErrorKind.UNAUTHENTICATED, "unauthenticated", text, status.getCause());
      case CANCELLED,
          UNKNOWN,
          DEADLINE_EXCEEDED,
          FAILED_PRECONDITION,
          ABORTED,
          INTERNAL,
          UNAVAILABLE,
          DATA_LOSS ->
          WingsException.unavailable("connection-lost", text, status.getCause());
    };
  }

  private static String described(@Nullable String description) {
    return description == null ? "" : ": " + description;
  }
}
