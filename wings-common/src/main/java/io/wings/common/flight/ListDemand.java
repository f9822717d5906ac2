package io.wings.common.flight;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnknownFieldSet;
import io.wings.common.cluster.CatalogName;
import io.wings.common.error.WingsException;
import java.util.Set;
import java.util.TreeSet;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * What a load balancer asks an ingestor to list: what its client asks for, and in which catalogs it
 * is to look.
 *
 * <p>The catalogs are in a field that Flight's criteria don't have. An ingestor of a version that
 * doesn't know it passes it over and looks in all; what is shown, the load balancer decides anyway.
 *
 * @param within null for all that there are
 */
public record ListDemand(ListRequest request, @Nullable Set<CatalogName> within) {
  /** Far above those that Flight may come to use. */
  private static final int WITHIN = 5_000;

  public ListDemand {
    within = within == null ? null : Set.copyOf(within);
  }

  /**
   * Reads what a load balancer has sent.
   *
   * @throws WingsException {@code request-invalid}, {@code catalog-name-invalid}
   */
  public static ListDemand of(Flight.Criteria criteria) {
    ListRequest request = ListRequest.of(criteria);
    UnknownFieldSet more = criteria.getUnknownFields();
    if (!more.hasField(WITHIN)) {
      return new ListDemand(request, null);
    }
    Set<CatalogName> within = new TreeSet<>();
    for (ByteString name : more.getField(WITHIN).getLengthDelimitedList()) {
      within.add(new CatalogName(name.toStringUtf8()));
    }
    return new ListDemand(request, within);
  }

  /** For the ingestor; {@code within} must not be empty. */
  public Flight.Criteria toCriteria() {
    Flight.Criteria criteria = request.toCriteria();
    if (within == null) {
      return criteria;
    }
    UnknownFieldSet.Field.Builder names = UnknownFieldSet.Field.newBuilder();
    for (CatalogName name : new TreeSet<>(within)) {
      names.addLengthDelimited(ByteString.copyFromUtf8(name.value()));
    }
    return criteria.toBuilder()
        .setUnknownFields(UnknownFieldSet.newBuilder().addField(WITHIN, names.build()).build())
        .build();
  }
}
