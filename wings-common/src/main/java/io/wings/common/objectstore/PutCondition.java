package io.wings.common.objectstore;

/** What must hold at the moment a put lands. */
public sealed interface PutCondition {
  /** No condition. */
  record Any() implements PutCondition {}

  /** No object is at the key. */
  record IfAbsent() implements PutCondition {}

  /** The object at the key has this version. */
  record IfVersion(String version) implements PutCondition {}

  static PutCondition any() {
    return new Any();
  }

  static PutCondition ifAbsent() {
    return new IfAbsent();
  }

  static PutCondition ifVersion(String version) {
    return new IfVersion(version);
  }
}
