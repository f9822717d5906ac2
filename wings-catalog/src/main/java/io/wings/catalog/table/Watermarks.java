package io.wings.catalog.table;

import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Up to which number each lane's rows are in the table, and whose lanes they are.
 *
 * <p>Kept as table properties {@code wings.watermark.<lane>} = {@code
 * cluster/catalog/uuid/incarnation/number}, one per lane from 0 without a gap, all of one identity.
 *
 * @param cluster the id of the cluster whose WAL is counted
 * @param catalog under whose name that WAL is: another name that leads to the table has none; null
 *     as adopted by a version that didn't say
 * @param table the uuid of the table that was adopted; another table's uuid marks a copied property
 * @param incarnation 32 hexadecimal digits
 * @param numbers by lane; 0 is before the first segment
 */
public record Watermarks(
    String cluster,
    @Nullable CatalogName catalog,
    UUID table,
    String incarnation,
    List<Long> numbers) {
  /** Begins every watermark's property key; the lane follows in decimal. */
  public static final String PREFIX = "wings.watermark.";

  private static final Pattern KEY = Pattern.compile("wings\\.watermark\\.(0|[1-9][0-9]?)");
  private static final Pattern VALUE =
      Pattern.compile(
          "(?<cluster>[0-9a-f]{1,64})/(?:(?<catalog>[a-z0-9][a-z0-9_-]{0,62})/)?"
              + "(?<table>[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/"
              + "(?<incarnation>[0-9a-f]{32})/(?<number>0|[1-9][0-9]{0,17})");

  public Watermarks {
    numbers = List.copyOf(numbers);
    if (numbers.isEmpty() || numbers.size() > LaneId.MAX_LANES) {
      throw new IllegalArgumentException("lanes: " + numbers.size());
    }
  }

  /** What a table's properties say of watermarks, seen from one cluster, catalog and table. */
  public sealed interface Reading {
    /** No watermark at all. */
    record Absent() implements Reading {}

    /** Of this cluster, this catalog, as far as they say, and this table. */
    record Own(Watermarks watermarks) implements Reading {}

    /** Of another table: the properties were copied, and count for nothing here. */
    record Copied(Watermarks watermarks) implements Reading {}

    /** Of this table, but another cluster's, or adopted under another catalog's name. */
    record Foreign(Watermarks watermarks) implements Reading {}
  }

  /** The watermarks of a table at its adoption: 0 in every lane. */
  public static Watermarks initial(
      String cluster, CatalogName catalog, UUID table, String incarnation, int lanes) {
    List<Long> zeros = new ArrayList<>(lanes);
    for (int lane = 0; lane < lanes; lane++) {
      zeros.add(0L);
    }
    return new Watermarks(cluster, catalog, table, incarnation, zeros);
  }

  /**
   * The watermarks of a next incarnation: at its first number in every lane, which holds no rows.
   */
  static Watermarks succeeding(
      String cluster, CatalogName catalog, UUID table, String incarnation, List<Long> firsts) {
    return new Watermarks(cluster, catalog, table, incarnation, firsts);
  }

  /**
   * Reads the watermarks among {@code properties}.
   *
   * @throws WingsException {@code watermark-invalid} when they are there but can't be understood:
   *     an unknown form, a missing lane, two identities
   */
  public static Reading read(
      Map<String, String> properties, String cluster, CatalogName catalog, UUID table) {
    Watermarks found = parse(properties);
    if (found == null) {
      return new Reading.Absent();
    }
    if (!found.table.equals(table)) {
      return new Reading.Copied(found);
    }
    return found.cluster.equals(cluster) && (found.catalog == null || found.catalog.equals(catalog))
        ? new Reading.Own(found)
        : new Reading.Foreign(found);
  }

  /**
   * What a snapshot's summary says of the same WAL; empty: nothing.
   *
   * @throws WingsException {@code watermark-invalid}
   */
  public Optional<Watermarks> then(Map<String, String> summary) {
    Watermarks found = parse(summary);
    return found == null || !sameIdentity(found) ? Optional.empty() : Optional.of(found);
  }

  private static @Nullable Watermarks parse(Map<String, String> properties) {
    TreeMap<Integer, String> byLane = new TreeMap<>();
    for (Map.Entry<String, String> property : properties.entrySet()) {
      if (property.getKey().startsWith(PREFIX)) {
        byLane.put(laneOf(property.getKey()), property.getValue());
      }
    }
    if (byLane.isEmpty()) {
      return null;
    }
    @Nullable Matcher first = null;
    List<Long> numbers = new ArrayList<>(byLane.size());
    for (Map.Entry<Integer, String> entry : byLane.entrySet()) {
      Matcher value = VALUE.matcher(entry.getValue());
      if (!value.matches()) {
        throw invalid(
            "%s%d is \"%s\", expected cluster/catalog/uuid/incarnation/number"
                .formatted(PREFIX, entry.getKey(), Printable.of(entry.getValue())));
      }
      if (entry.getKey() != numbers.size()) {
        throw invalid("%s%d is missing".formatted(PREFIX, numbers.size()));
      }
      if (first == null) {
        first = value;
      } else if (!identity(first).equals(identity(value))) {
        throw invalid(
            "lanes disagree about cluster, catalog, table or incarnation: %s and %s"
                .formatted(identity(first), identity(value)));
      }
      numbers.add(Long.parseLong(value.group("number")));
    }
    Matcher named = Objects.requireNonNull(first);
    String catalog = named.group("catalog");
    return new Watermarks(
        named.group("cluster"),
        catalog == null ? null : new CatalogName(catalog),
        UUID.fromString(named.group("table")),
        named.group("incarnation"),
        numbers);
  }

  private static int laneOf(String key) {
    Matcher matcher = KEY.matcher(key);
    if (!matcher.matches() || Integer.parseInt(matcher.group(1)) >= LaneId.MAX_LANES) {
      throw invalid(
          "unknown property \"%s\": lanes are 0 to %d"
              .formatted(Printable.of(key), LaneId.MAX_LANES - 1));
    }
    return Integer.parseInt(matcher.group(1));
  }

  private static String identity(Matcher value) {
    String whole = value.group();
    return whole.substring(0, whole.lastIndexOf('/'));
  }

  private static WingsException invalid(String detail) {
    return WingsException.corrupt(
        "watermark-invalid", detail + "; watermarks are computed: restore the table's properties");
  }

  /** How many lanes the table has. */
  public int lanes() {
    return numbers.size();
  }

  /** The watermark of {@code lane}. */
  public long number(int lane) {
    return numbers.get(lane);
  }

  /** Whether both count the same WAL. */
  public boolean sameIdentity(Watermarks other) {
    return cluster.equals(other.cluster)
        && Objects.equals(catalog, other.catalog)
        && table.equals(other.table)
        && incarnation.equals(other.incarnation)
        && numbers.size() == other.numbers.size();
  }

  /** These, with {@code lane} raised to {@code number}; a watermark never falls. */
  public Watermarks raise(int lane, long number) {
    if (number < number(lane)) {
      throw new IllegalArgumentException(
          "watermark of lane %d would fall from %d to %d".formatted(lane, number(lane), number));
    }
    List<Long> raised = new ArrayList<>(numbers);
    raised.set(lane, number);
    return new Watermarks(cluster, catalog, table, incarnation, raised);
  }

  /** As table properties, one per lane. */
  public Map<String, String> toProperties() {
    Map<String, String> properties = new TreeMap<>();
    for (int lane = 0; lane < lanes(); lane++) {
      properties.put(PREFIX + lane, value(lane));
    }
    return properties;
  }

  private String value(int lane) {
    return identity() + "/" + number(lane);
  }

  private String identity() {
    return catalog == null
        ? "%s/%s/%s".formatted(cluster, table, incarnation)
        : "%s/%s/%s/%s".formatted(cluster, catalog, table, incarnation);
  }

  @Override
  public String toString() {
    return identity() + "/" + numbers;
  }
}
