package io.wings.catalog.table;

import org.apache.arrow.vector.types.pojo.ArrowType;

/** What an Arrow type is below its extension. */
final class ArrowTypes {
  private ArrowTypes() {}

  /** The type that is stored: extension types are looked through. */
  static ArrowType storage(ArrowType type) {
    ArrowType stored = type;
    while (stored instanceof ArrowType.ExtensionType extension) {
      stored = extension.storageType();
    }
    return stored;
  }

  /** The extension's name, or empty. */
  static String extension(ArrowType type) {
    return type instanceof ArrowType.ExtensionType extension ? extension.extensionName() : "";
  }
}
