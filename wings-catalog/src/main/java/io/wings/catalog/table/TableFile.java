package io.wings.catalog.table;

import java.util.List;

/**
 * The cluster's own note of an adopted table: {@code table.json}, written last in an adoption and
 * changed by CAS. It says where the table was last seen and how far it was, so that a sweep needs
 * no catalog; the truth about watermarks is the table's own.
 *
 * @param namespace levels of the table's namespace, as last loaded
 * @param name the table's name, as last loaded
 * @param incarnation of the WAL
 * @param lanes how many
 * @param watermarks last known, by lane; never ahead of the table's own
 * @param quarantined by lane, segment numbers that readers skip
 */
public record TableFile(
    List<String> namespace,
    String name,
    String incarnation,
    int lanes,
    List<Long> watermarks,
    List<List<Long>> quarantined) {
  public TableFile {
    namespace = List.copyOf(namespace);
    watermarks = List.copyOf(watermarks);
    quarantined = quarantined.stream().map(List::copyOf).toList();
  }
}
