package io.wings.common.flight;

import com.google.protobuf.ByteString;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * Which tables ListFlights tells, as JSON in the criteria's expression; an empty expression asks
 * for all.
 *
 * @param catalog null for every one that the principal may see
 * @param namespace its tables only, not those of namespaces below; null for every one
 */
public record ListRequest(@Nullable CatalogName catalog, @Nullable List<String> namespace) {
  public static final ListRequest ALL = new ListRequest(null, null);

  public ListRequest {
    if (namespace != null) {
      if (catalog == null) {
        throw WingsException.invalid("request-invalid", "'namespace' comes without 'catalog'");
      }
      TableName.requireNamespace(namespace);
      namespace = List.copyOf(namespace);
    }
  }

  /**
   * Reads ListFlights' criteria.
   *
   * @throws WingsException {@code request-invalid}
   */
  public static ListRequest of(Flight.Criteria criteria) {
    return criteria.getExpression().isEmpty()
        ? ALL
        : FlightJson.decode(ListRequest.class, criteria.getExpression(), "criteria");
  }

  public Flight.Criteria toCriteria() {
    ByteString expression = equals(ALL) ? ByteString.EMPTY : FlightJson.encode(this);
    return Flight.Criteria.newBuilder().setExpression(expression).build();
  }
}
