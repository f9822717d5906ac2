package io.wings.catalog;

import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cas.CasObject;
import io.wings.common.cas.JsonCodec;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.Keys;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.retry.Backoff;
import io.wings.common.time.Time;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The registry of a cluster's catalogs: {@code tenants/{catalog}.json}. */
public final class Tenants {
  private static final String SUFFIX = ".json";

  /** The document: a pointer, never a credential. */
  private record Registration(int formatVersion, String secret) {
    static final int VERSION = 1;
  }

  private final ObjectStore store;
  private final Time time;
  private final Ids ids;

  /**
   * @param store the cluster's
   */
  public Tenants(ObjectStore store, Time time, Ids ids) {
    this.store = store;
    this.time = time;
    this.ids = ids;
  }

  /**
   * Registers a catalog; does nothing when it is registered with this pointer.
   *
   * @throws WingsException {@code catalog-exists} when it is registered with another
   */
  public void add(CatalogName name, SecretPointer secret) {
    Registration wanted = new Registration(Registration.VERSION, secret.toString());
    Registration present = object(name).createIfAbsent(wanted);
    if (!present.equals(wanted)) {
      throw WingsException.invalid(
          "catalog-exists",
          "catalog %s is registered with the secret %s; say --replace to point it elsewhere"
              .formatted(name, present.secret()));
    }
  }

  /**
   * Points a registered catalog at another secret, of the same catalog: which tables there are must
   * not change. Roles notice within {@link CatalogSettings#secretMaxAge()}.
   *
   * @throws WingsException {@code catalog-unknown} when it isn't registered
   */
  public void replace(CatalogName name, SecretPointer secret) {
    Registration wanted = new Registration(Registration.VERSION, secret.toString());
    boolean present = object(name).update(current -> current.map(_ -> wanted)).isPresent();
    if (!present) {
      throw WingsException.notFound(
          "catalog-unknown", "no catalog " + name + " is registered; add it without --replace");
    }
  }

  /** Takes a catalog off the registry; its tables and its WAL stay. False when it isn't there. */
  public boolean remove(CatalogName name) {
    if (store.head(Keys.tenant(name)).isEmpty()) {
      return false;
    }
    store.delete(Keys.tenant(name));
    return true;
  }

  /** What somebody is told who asks for a catalog that isn't registered. */
  public static WingsException unknown(CatalogName name) {
    return WingsException.notFound("catalog-unknown", "no catalog " + name + " is registered");
  }

  public Optional<Tenant> get(CatalogName name) {
    return object(name).read().map(registration -> tenant(name, registration));
  }

  /** All, by name. */
  public List<Tenant> list() {
    List<Tenant> all = new ArrayList<>();
    for (CatalogName name : names()) {
      get(name).ifPresent(all::add);
    }
    return all;
  }

  /** The names of all, sorted. */
  public List<CatalogName> names() {
    return names(store);
  }

  /** The same of a cluster's store. */
  public static List<CatalogName> names(ObjectStore store) {
    List<CatalogName> names = new ArrayList<>();
    store
        .list(Keys.TENANTS, "")
        .forEachRemaining(
            head -> {
              String file = head.key().substring(Keys.TENANTS.length());
              if (file.endsWith(SUFFIX)) {
                names.add(new CatalogName(file.substring(0, file.length() - SUFFIX.length())));
              }
            });
    return names.stream().sorted().toList();
  }

  private CasObject<Registration> object(CatalogName name) {
    return new CasObject<>(
        store, Keys.tenant(name), new JsonCodec<>(Registration.class), time, ids, Backoff.STORE);
  }

  private static Tenant tenant(CatalogName name, Registration registration) {
    if (registration.formatVersion() != Registration.VERSION) {
      throw WingsException.corrupt(
          "tenant-version",
          "%s: expected format_version %d, got %d"
              .formatted(Keys.tenant(name), Registration.VERSION, registration.formatVersion()));
    }
    return new Tenant(name, SecretPointer.parse(registration.secret()));
  }
}
