package io.wings.common.grant;

import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;
import java.util.Arrays;
import java.util.Locale;

/** What a grant lets its subject do. */
public enum Privilege {
  /** See a table, its schema and where its data is; wait until rows are visible. */
  READ,
  /** Send batches to a table, and commit to it by the REST catalog. */
  WRITE,
  /** Make tables and namespaces. */
  CREATE,
  /** All of it, and to drop, rename, and set properties of namespaces. */
  ADMIN;

  /**
   * By its name as people write it.
   *
   * @throws WingsException {@code grant-invalid}
   */
  public static Privilege of(String text) {
    for (Privilege privilege : values()) {
      if (privilege.toString().equals(text)) {
        return privilege;
      }
    }
    throw WingsException.invalid(
        "grant-invalid",
        "expected one of %s, got %s".formatted(Arrays.toString(values()), Printable.of(text)));
  }

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
