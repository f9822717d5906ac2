package io.wings.catalog;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.wings.catalog.secret.SecretPointer;
import io.wings.common.cluster.CatalogName;
import io.wings.common.concurrent.Threads;
import io.wings.common.id.Ids;
import io.wings.common.time.Time;
import java.util.Optional;

/** The catalogs of the tenants that a registry knows, kept open between uses. */
public final class TenantCatalogs implements Catalogs {
  /** Tenants whose catalogs are open at once; beyond, the least used is closed when it is free. */
  private static final int MAX_OPEN = 256;

  private final Tenants tenants;
  private final Secrets secrets;
  private final CatalogOpener opener;
  private final CatalogSettings settings;
  private final Time time;
  private final Cache<CatalogName, CatalogSlot> slots;

  /**
   * @param secrets closed with it
   */
  public TenantCatalogs(
      Tenants tenants,
      Secrets secrets,
      CatalogSettings settings,
      Time time,
      Ids ids,
      Threads threads) {
    this.tenants = tenants;
    this.secrets = secrets;
    this.opener = new CatalogOpener(settings, time, ids, threads);
    this.settings = settings;
    this.time = time;
    this.slots =
        Caffeine.newBuilder()
            .maximumSize(MAX_OPEN)
            .executor(Runnable::run)
            .<CatalogName, CatalogSlot>removalListener(
                (_, slot, _) -> {
                  if (slot != null) {
                    slot.retire();
                  }
                })
            .build();
  }

  @Override
  public TenantCatalog open(CatalogName name) {
    while (true) {
      CatalogSlot slot = slots.get(name, this::slot);
      Optional<TenantCatalog> held = slot.hold();
      if (held.isPresent()) {
        return held.get();
      }
      // Evicted between the two lines; the next round makes a new one.
      slots.asMap().remove(name, slot);
    }
  }

  private CatalogSlot slot(CatalogName name) {
    return new CatalogSlot(
        name,
        () -> registered(name),
        secrets::read,
        secret -> opener.open(name, secret),
        settings,
        time);
  }

  private SecretPointer registered(CatalogName name) {
    return tenants.get(name).orElseThrow(() -> Tenants.unknown(name)).secret();
  }

  @Override
  public void close() {
    slots.invalidateAll();
    slots.cleanUp();
    secrets.close();
  }
}
