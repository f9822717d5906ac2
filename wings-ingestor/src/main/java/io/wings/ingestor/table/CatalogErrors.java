package io.wings.ingestor.table;

import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.util.function.Supplier;
import org.apache.iceberg.exceptions.ForbiddenException;
import org.apache.iceberg.exceptions.NoSuchNamespaceException;
import org.apache.iceberg.exceptions.NoSuchTableException;
import org.apache.iceberg.exceptions.NotAuthorizedException;

/** What a catalog's exceptions mean to a client. */
final class CatalogErrors {
  private CatalogErrors() {}

  /**
   * Runs {@code call}.
   *
   * @param subject a name that the caller knows, for the message
   * @throws WingsException {@code table-not-found} for what isn't there or may not be seen, {@code
   *     catalog-unavailable}, or what the call threw
   */
  static <T> T mapped(Object subject, Supplier<T> call) {
    try {
      return call.get();
    } catch (WingsException e) {
      throw e;
    } catch (NoSuchTableException
        | NoSuchNamespaceException
        | ForbiddenException
        | NotAuthorizedException e) {
      throw new WingsException(
          ErrorKind.NOT_FOUND,
          "table-not-found",
          "no table \"%s\"".formatted(Printable.of(subject.toString())),
          e);
    } catch (RuntimeException e) {
      throw WingsException.unavailable(
          "catalog-unavailable",
          "the catalog doesn't answer for %s (%s); try again"
              .formatted(Printable.of(subject.toString()), e.getClass().getSimpleName()),
          e);
    }
  }
}
