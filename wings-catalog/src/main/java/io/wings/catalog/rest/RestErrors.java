package io.wings.catalog.rest;

import io.wings.common.error.WingsException;
import io.wings.common.grant.Access;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.StoreException;
import java.util.Map;
import org.apache.iceberg.exceptions.AlreadyExistsException;
import org.apache.iceberg.exceptions.CommitFailedException;
import org.apache.iceberg.exceptions.CommitStateUnknownException;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NamespaceNotEmptyException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.exceptions.UnprocessableEntityException;
import org.apache.iceberg.exceptions.ValidationException;
import org.apache.iceberg.rest.responses.ErrorResponse;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Errors on the wire. Only what is meant for the caller is told to it; the rest is logged under an
 * id that the caller gets.
 */
final class RestErrors {
  private static final Logger LOG = LoggerFactory.getLogger(RestErrors.class);

  private static final Map<Class<? extends RuntimeException>, Integer> STATUS =
      Map.ofEntries(
          Map.entry(IllegalArgumentException.class, 400),
          Map.entry(NumberFormatException.class, 400),
          Map.entry(ValidationException.class, 400),
          Map.entry(NotAuthorizedException.class, 401),
          Map.entry(ForbiddenException.class, 403),
          Map.entry(NoSuchNamespaceException.class, 404),
          Map.entry(NoSuchTableException.class, 404),
          Map.entry(NotFoundException.class, 404),
          Map.entry(UnsupportedOperationException.class, 406),
          Map.entry(AlreadyExistsException.class, 409),
          Map.entry(NamespaceNotEmptyException.class, 409),
          Map.entry(CommitFailedException.class, 409),
          Map.entry(UnprocessableEntityException.class, 422),
          Map.entry(CommitStateUnknownException.class, 500));

  private final Ids ids;

  RestErrors(Ids ids) {
    this.ids = ids;
  }

  static Answer answer(int status, String type, String message) {
    ErrorResponse error =
        ErrorResponse.builder().responseCode(status).withType(type).withMessage(message).build();
    return new Answer(status, RestJson.write(error), Map.of());
  }

  /**
   * The answer to a failed request.
   *
   * @param changes whether the request may have changed something before it failed
   */
  Answer of(RuntimeException failure, boolean changes) {
    Integer status = STATUS.get(failure.getClass());
    if (status != null) {
      return answer(status, failure.getClass().getSimpleName(), message(failure));
    }
    return switch (failure) {
      case WingsException e -> answer(e, changes);
      case StoreException e -> {
        LOG.warn("object storage failed", e);
        yield answer(
            changes ? 500 : 503, "ServiceUnavailableException", "object storage doesn't answer");
      }
      default -> {
        String id = ids.hex();
        LOG.error("request failed, error id {}", id, failure);
        yield answer(500, "InternalServerError", "internal error " + id);
      }
    };
  }

  private static Answer answer(WingsException e, boolean changes) {
    int status = status(e, changes);
    Answer answer =
        answer(
            status,
            switch (status) {
              case 401 -> NotAuthorizedException.class.getSimpleName();
              case 403 -> ForbiddenException.class.getSimpleName();
              default -> e.getClass().getSimpleName();
            },
            message(e));
    return status == 401 ? answer.withHeader("WWW-Authenticate", "Bearer") : answer;
  }

  private static int status(WingsException e, boolean changes) {
    if (e.code().equals(Access.FORBIDDEN)) {
      return 403;
    }
    return switch (e.kind()) {
      case INVALID -> 400;
      case UNAUTHENTICATED -> 401;
      case NOT_FOUND -> 404;
      case UNSUPPORTED -> 406;
      case UNAVAILABLE -> changes ? 500 : 503;
      case FENCED, CORRUPT, INTERNAL -> 500;
    };
  }

  private static String message(RuntimeException failure) {
    return String.valueOf(failure.getMessage());
  }
}
