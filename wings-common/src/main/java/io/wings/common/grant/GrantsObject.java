package io.wings.common.grant;

import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** {@code grants.json}: written by administrators, read by whoever lets clients in. */
public final class GrantsObject {
  /** The document. */
  private record Document(int formatVersion, List<Entry> grants) {
    static final int VERSION = 1;
  }

  private record Entry(
      String subject, String name, String scope, List<String> path, List<String> privileges) {
    static Entry of(Grant grant) {
      return new Entry(
          grant.subject().kind(),
          grant.subject().name(),
          grant.scope().kind(),
          grant.scope().path(),
          grant.sorted().stream().map(Privilege::toString).toList());
    }

    Grant grant() {
      return new Grant(
          Subject.of(subject, name),
          Scope.of(scope, path),
          privileges.stream().map(Privilege::of).collect(Collectors.toSet()));
    }
  }

  /** A change of the grants. */
  @FunctionalInterface
  public interface Change {
    Grants on(Grants before);
  }

  private final CasObject<Document> object;

  /**
   * @param store the cluster's
   */
  public GrantsObject(ObjectStore store, Time time, Ids ids) {
    this.object =
        new CasObject<>(
            store, Keys.GRANTS, new JsonCodec<>(Document.class), time, ids, Backoff.STORE);
  }

  /**
   * What is granted; nothing where there is no object.
   *
   * @throws WingsException {@code grants-version}, {@code grant-invalid}
   * @throws io.wings.common.objectstore.StoreException when it can't be read
   */
  public Grants read() {
    return object.read().map(GrantsObject::grants).orElse(Grants.NONE);
  }

  /**
   * Changes what is granted.
   *
   * @param change pure
   * @return what is granted after it
   * @throws WingsException {@code too-many-grants}
   */
  public Grants change(Change change) {
    return object
        .update(
            current -> {
              Grants before = current.map(GrantsObject::grants).orElse(Grants.NONE);
              Grants after = change.on(before);
              if (after.all().size() > Grants.MAX_GRANTS) {
                throw WingsException.invalid(
                    "too-many-grants",
                    "a cluster has at most %d grants; give them to groups"
                        .formatted(Grants.MAX_GRANTS));
              }
              return after.equals(before) ? Optional.empty() : Optional.of(document(after));
            })
        .map(GrantsObject::grants)
        .orElse(Grants.NONE);
  }

  private static Document document(Grants grants) {
    return new Document(Document.VERSION, grants.all().stream().map(Entry::of).toList());
  }

  private static Grants grants(Document document) {
    if (document.formatVersion != Document.VERSION) {
      throw WingsException.corrupt(
          "grants-version",
          "%s: expected format_version %d, got %d"
              .formatted(Keys.GRANTS, Document.VERSION, document.formatVersion));
    }
    return new Grants(document.grants.stream().map(Entry::grant).toList());
  }
}
