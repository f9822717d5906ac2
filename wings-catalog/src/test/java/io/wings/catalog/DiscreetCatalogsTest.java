package io.wings.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.wings.common.cluster.CatalogName;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.time.Time;
import org.junit.jupiter.api.Test;

class DiscreetCatalogsTest {
  private static final CatalogName MAIN = new CatalogName("main");

  private WingsException failure = Tenants.unknown(MAIN);
  private int closed;
  private final Catalogs catalogs =
      new DiscreetCatalogs(
          new Catalogs() {
            @Override
            public TenantCatalog open(CatalogName name) {
              throw failure;
            }

            @Override
            public void close() {
              closed++;
            }
          },
          Time.system());

  @Test
  void aCallerIsToldTheCodeAndNothingOfTheSecretOrTheServer() {
    failure =
        WingsException.unavailable(
            "catalog-unavailable",
            "catalog main can't be opened: ServiceFailureException: Server error: a page",
            failure);
    assertThatThrownBy(() -> catalogs.open(MAIN))
        .hasMessage(
            "catalog-unavailable: catalog main can't be used now; the server's log says why")
        .hasNoCause()
        .extracting(e -> ((WingsException) e).kind())
        .isEqualTo(failure.kind());
  }

  /** The caller's request was right, and is so again once the secret is mended. */
  @Test
  void whatIsWrongWithASecretIsNotTheCallersFault() {
    failure = WingsException.invalid("secret-invalid", "file:///etc/main.json is no secret: …");
    assertThatThrownBy(() -> catalogs.open(MAIN))
        .hasMessage("secret-invalid: catalog main can't be used now; the server's log says why")
        .extracting(e -> ((WingsException) e).kind())
        .isEqualTo(ErrorKind.UNAVAILABLE);
  }

  @Test
  void thatThereIsNoneIsToldAsItIs() {
    assertThatThrownBy(() -> catalogs.open(MAIN)).isSameAs(failure);
    catalogs.close();
    assertThat(closed).isEqualTo(1);
  }
}
