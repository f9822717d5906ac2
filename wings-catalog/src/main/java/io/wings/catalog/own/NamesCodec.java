package io.wings.catalog.own;

import io.wings.catalog.own.Names.NamespaceEntry;
import io.wings.common.cas.Codec;
import io.wings.common.cas.JsonCodec;
import io.wings.common.error.WingsException;
import io.wings.common.objectstore.Body;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.iceberg.catalog.Namespace;
import org.apache.iceberg.catalog.TableIdentifier;

/** {@code names.json}; see {@code docs/formats/catalog.md}. */
final class NamesCodec implements Codec<Names> {
  private static final int VERSION = 1;

  /** One object holds all names, and every change writes it whole. */
  static final int MAX_BYTES = 16 * 1024 * 1024;

  private record Document(
      int formatVersion,
      String catalog,
      List<NamespaceDocument> namespaces,
      List<TableDocument> tables) {}

  private final JsonCodec<Document> json = new JsonCodec<>(Document.class);

  private record NamespaceDocument(List<String> name, String id, Map<String, String> properties) {}

  private record TableDocument(List<String> namespace, String name, String id) {}

  @Override
  public Body encode(Names names, String putId) {
    List<NamespaceDocument> namespaces =
        names.namespaces().entrySet().stream()
            .sorted(Map.Entry.comparingByKey(Comparator.comparing(NamesCodec::sortKey)))
            .map(
                entry ->
                    new NamespaceDocument(
                        List.of(entry.getKey().levels()),
                        entry.getValue().id(),
                        entry.getValue().properties()))
            .toList();
    List<TableDocument> tables =
        names.tables().entrySet().stream()
            .sorted(
                Comparator.comparing(
                        (Map.Entry<TableIdentifier, String> entry) ->
                            sortKey(entry.getKey().namespace()))
                    .thenComparing(entry -> entry.getKey().name()))
            .map(
                entry ->
                    new TableDocument(
                        List.of(entry.getKey().namespace().levels()),
                        entry.getKey().name(),
                        entry.getValue()))
            .toList();
    Body body = json.encode(new Document(VERSION, names.catalog(), namespaces, tables), putId);
    if (body.size() > MAX_BYTES) {
      throw WingsException.invalid(
          "catalog-full",
          "the names of catalog %s would take %d bytes, at most %d are allowed"
              .formatted(names.catalog(), body.size(), MAX_BYTES));
    }
    return body;
  }

  @Override
  public Stamped<Names> decode(byte[] bytes) {
    Stamped<Document> stored = json.decode(bytes);
    Document document = stored.value();
    if (document.formatVersion() != VERSION) {
      throw WingsException.corrupt(
          "names-version",
          "expected format_version %d, got %d".formatted(VERSION, document.formatVersion()));
    }
    Map<Namespace, NamespaceEntry> namespaces = new LinkedHashMap<>();
    for (NamespaceDocument entry : document.namespaces()) {
      namespaces.put(namespace(entry.name()), new NamespaceEntry(entry.id(), entry.properties()));
    }
    Map<TableIdentifier, String> tables = new LinkedHashMap<>();
    for (TableDocument entry : document.tables()) {
      tables.put(TableIdentifier.of(namespace(entry.namespace()), entry.name()), entry.id());
    }
    return new Stamped<>(new Names(document.catalog(), namespaces, tables), stored.putId());
  }

  private static Namespace namespace(List<String> levels) {
    return Namespace.of(levels.toArray(String[]::new));
  }

  /** Names hold no control characters, so NUL separates. */
  private static String sortKey(Namespace namespace) {
    return String.join("\0", Arrays.asList(namespace.levels()));
  }
}
