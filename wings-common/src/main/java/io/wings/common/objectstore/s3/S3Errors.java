package io.wings.common.objectstore.s3;

import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.UnknownHostException;
import java.util.Set;
import org.apache.hc.client5.http.ConnectTimeoutException;
import org.apache.hc.core5.http.ConnectionRequestTimeoutException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/**
 * What an answer of S3 means.
 *
 * <p>A put is <em>unknown</em> unless the answer rules out that it landed or will: only errors that
 * the server gives before it stores anything, and requests that never left, are definite.
 */
final class S3Errors {
  private static final int NOT_FOUND = 404;
  private static final int CONFLICT = 409;
  private static final int PRECONDITION_FAILED = 412;
  private static final int TOO_MANY_REQUESTS = 429;
  private static final int SERVER_ERRORS = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int NO_SPACE = 507;

  /** Client errors by status that only say that the request took too long. */
  private static final Set<String> SLOW = Set.of("RequestTimeout");

  /** Client errors that pass by themselves, once credentials or a clock are refreshed. */
  private static final Set<String> PASSING =
      Set.of(
          "ExpiredToken", "ExpiredTokenException", "TokenRefreshRequired", "RequestTimeTooSkewed");

  private S3Errors() {}

  /**
   * How a put ended that failed with {@code error}.
   *
   * @throws StoreException when nothing was written
   */
  static PutOutcome ofPut(String what, PutCondition condition, SdkException error) {
    if (!(error instanceof AwsServiceException answer)) {
      if (neverSent(error)) {
        throw new StoreException(what + " couldn't be sent: " + reason(error), true, error);
      }
      return new PutOutcome.Unknown(reason(error));
    }
    int status = answer.statusCode();
    if (status == PRECONDITION_FAILED && !(condition instanceof PutCondition.Any)) {
      return new PutOutcome.Lost();
    }
    if (status == NOT_FOUND
        && condition instanceof PutCondition.IfVersion
        && code(answer).equals("NoSuchKey")) {
      return new PutOutcome.Missing();
    }
    boolean definite =
        status < SERVER_ERRORS
            ? status != CONFLICT && status != TOO_MANY_REQUESTS && !SLOW.contains(code(answer))
            : status == NO_SPACE || status == NOT_IMPLEMENTED;
    if (!definite) {
      return new PutOutcome.Unknown(reason(error));
    }
    throw failure(what, error);
  }

  /** Any other call that failed with {@code error}. */
  static StoreException failure(String what, SdkException error) {
    boolean retryable =
        !(error instanceof AwsServiceException answer)
            || passing(answer.statusCode(), code(answer));
    return new StoreException(what + " failed: " + reason(error), retryable, error);
  }

  private static boolean passing(int status, String code) {
    return (status >= SERVER_ERRORS && status != NOT_IMPLEMENTED)
        || status == CONFLICT
        || status == TOO_MANY_REQUESTS
        || SLOW.contains(code)
        || PASSING.contains(code);
  }

  static boolean isMissingKey(AwsServiceException answer) {
    return answer.statusCode() == NOT_FOUND && !code(answer).equals("NoSuchBucket");
  }

  private static boolean neverSent(Throwable error) {
    for (Throwable cause = error; cause != null; cause = cause.getCause()) {
      if (cause instanceof ConnectException
          || cause instanceof ConnectTimeoutException
          || cause instanceof ConnectionRequestTimeoutException
          || cause instanceof NoRouteToHostException
          || cause instanceof UnknownHostException) {
        return true;
      }
    }
    return false;
  }

  private static String code(AwsServiceException answer) {
    String code = answer.awsErrorDetails() == null ? null : answer.awsErrorDetails().errorCode();
    return code == null ? "" : code;
  }

  /** Status and code, or the innermost cause; no header and no body, which may hold more. */
  private static String reason(SdkException error) {
    if (error instanceof AwsServiceException answer) {
      return answer.statusCode() + " " + code(answer);
    }
    Throwable cause = error;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause.toString();
  }
}
