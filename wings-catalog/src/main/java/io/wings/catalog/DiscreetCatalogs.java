package io.wings.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Printable;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Catalogs whose callers are somebody's clients. Why one can't be opened says where its secret is,
 * or what its server answered: that is for the log, and a client gets the code. What is wrong with
 * a secret is nothing wrong with the client's request, which may be sent again.
 */
public final class DiscreetCatalogs implements Catalogs {
  private static final Logger LOG = LoggerFactory.getLogger(DiscreetCatalogs.class);

  /** Of what says no more than the caller did, or that he has to wait. */
  private static final Set<String> TOLD = Set.of("catalog-unknown", "interrupted");

  /** One catalog is told of at most that often. */
  private static final Duration BETWEEN_LINES = Duration.ofSeconds(10);

  private static final int MAX_REMEMBERED = 1_000;

  private final Catalogs catalogs;
  private final Cache<CatalogName, Boolean> toldLately;

  /**
   * @param catalogs closed with it
   */
  public DiscreetCatalogs(Catalogs catalogs, Time time) {
    this.catalogs = catalogs;
    this.toldLately =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(BETWEEN_LINES)
            .ticker(time::nanos)
            .executor(Runnable::run)
            .build();
  }

  @Override
  public TenantCatalog open(CatalogName name) {
    try {
      return catalogs.open(name);
    } catch (WingsException e) {
      if (TOLD.contains(e.code())) {
        throw e;
      }
      if (toldLately.asMap().putIfAbsent(name, true) == null) {
        LOG.warn(
            "catalog {} can't be used: {}", name, Printable.of(String.valueOf(e.getMessage())));
      }
      throw new WingsException(
          e.kind() == ErrorKind.INVALID ? ErrorKind.UNAVAILABLE : e.kind(),
          e.code(),
          "catalog %s can't be used now; the server's log says why".formatted(name));
    }
  }

  @Override
  public void close() {
    catalogs.close();
  }
}
