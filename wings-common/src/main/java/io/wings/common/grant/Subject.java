package io.wings.common.grant;

import io.wings.common.auth.Identity;
import io.wings.common.cluster.Printable;
import io.wings.common.error.WingsException;

/** Whom a grant is for. */
public sealed interface Subject {
  /** One caller. */
  record Principal(String name) implements Subject {
    public Principal {
      requireName(name);
    }
  }

  /** All whose tokens say that they are in it. */
  record Group(String name) implements Subject {
    public Group {
      requireName(name);
    }
  }

  /** Of either kind. */
  String name();

  /** Whether a grant for this is one for {@code identity}. */
  default boolean includes(Identity identity) {
    return switch (this) {
      case Principal(String name) -> identity.principal().equals(name);
      case Group(String name) -> identity.groups().contains(name);
    };
  }

  /** As it is stored. */
  default String kind() {
    return switch (this) {
      case Principal _ -> "principal";
      case Group _ -> "group";
    };
  }

  /**
   * The one that is stored so.
   *
   * @throws WingsException {@code grant-invalid}
   */
  static Subject of(String kind, String name) {
    return switch (kind) {
      case "principal" -> new Principal(name);
      case "group" -> new Group(name);
      default ->
          throw WingsException.invalid(
              "grant-invalid", "expected a principal or a group, got " + Printable.of(kind));
    };
  }

  private static void requireName(String name) {
    if (name.isBlank() || name.length() > Identity.MAX_PRINCIPAL_CHARS) {
      throw WingsException.invalid(
          "grant-invalid",
          "a principal or group has 1 to %d characters".formatted(Identity.MAX_PRINCIPAL_CHARS));
    }
  }
}
