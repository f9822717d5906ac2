package io.wings.catalog.io;

/** Which locations a tenant may use; throws {@code location-refused} for any other. */
public interface LocationPolicy {
  /** Of one file. */
  void checkFile(String location);

  /** Of a table, or of a prefix to list: neither inside what is refused nor around it. */
  void checkDirectory(String location);

  /** Every location, for tests of what is beneath. */
  static LocationPolicy any() {
    return new LocationPolicy() {
      @Override
      public void checkFile(String location) {}

      @Override
      public void checkDirectory(String location) {}
    };
  }
}
