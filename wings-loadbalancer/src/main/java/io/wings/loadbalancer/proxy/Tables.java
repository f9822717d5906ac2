package io.wings.loadbalancer.proxy;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.flight.ActionBody;
import io.wings.common.flight.ActionReply.TableDescription;
import io.wings.common.flight.TableName;
import io.wings.common.time.Time;

/**
 * What the load balancer knows of tables: how many lanes each has, as an ingestor's {@code
 * describe-table} told lately. Blocking; safe for use by several threads.
 */
final class Tables {
  /** Tables that are remembered at once. */
  private static final int MAX_REMEMBERED = 10_000;

  /** A principal may not see what another sees. */
  private record Key(String principal, TableName table) {}

  private final IngestorActions actions;
  private final Cache<Key, Integer> lanes;

  Tables(IngestorActions actions, ProxyLimits limits, Time time) {
    this.actions = actions;
    this.lanes =
        Caffeine.newBuilder()
            .maximumSize(MAX_REMEMBERED)
            .expireAfterWrite(limits.lookupAge())
            .ticker(time::nanos)
            .executor(Runnable::run)
            .build();
  }

  /**
   * The number of a table's lanes.
   *
   * @throws WingsException what the ingestor answered, of kind NOT_FOUND where there is no such
   *     table; of kind UNAVAILABLE where none answered
   */
  int lanes(String principal, TableName table) {
    Key key = new Key(principal, table);
    Integer known = lanes.getIfPresent(key);
    if (known == null) {
      known = describe(principal, table).lanes();
      lanes.put(key, known);
    }
    return known;
  }

  /** The same, and 1, which every table is made with, where there is none yet. */
  int lanesIfPresent(String principal, TableName table) {
    try {
      return lanes(principal, table);
    } catch (WingsException e) {
      if (e.kind() == ErrorKind.NOT_FOUND) {
        return 1;
      }
      throw e;
    }
  }

  /** Forgets a table that is about to change. */
  void forget(String principal, TableName table) {
    lanes.invalidate(new Key(principal, table));
  }

  private TableDescription describe(String principal, TableName table) {
    return actions
        .begin(
            TableDescription.class,
            principal,
            0,
            new ActionBody.DescribeTable(table.catalog(), table.namespace(), table.table()))
        .await();
  }
}
