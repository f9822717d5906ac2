package io.wings.common.tls;

import io.grpc.Status;
import java.util.Objects;
import javax.net.ssl.SSLException;

/** Why a role didn't reach another, in a line for the log. */
public final class ConnectionFailure {
  /** Causes of causes that are looked at. */
  private static final int MAX_DEPTH = 20;

  private ConnectionFailure() {}

  /** What a call ended with; that of a failed TLS handshake says so, and what was wrong. */
  public static String line(Throwable failure) {
    Status status = Status.fromThrowable(failure);
    Throwable last = failure;
    boolean tls = false;
    for (int depth = 0; depth < MAX_DEPTH && last.getCause() != null; depth++) {
      last = last.getCause();
      tls |= last instanceof SSLException;
    }
    String code = status.getCode().toString();
    if (tls) {
      return code + ", the TLS handshake failed: " + said(last);
    }
    String description = Objects.requireNonNullElse(status.getDescription(), "");
    String first = description.lines().findFirst().orElse("");
    String alone = code + ": " + first;
    return failure.getCause() == null ? alone : alone + ", " + said(last);
  }

  private static String said(Throwable cause) {
    String message = Objects.requireNonNullElse(cause.getMessage(), "");
    return cause.getClass().getSimpleName() + ": " + message.lines().findFirst().orElse("");
  }
}
