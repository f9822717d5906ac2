package io.wings.common.auth;

import java.util.Set;

/**
 * Who a caller is, once that is known.
 *
 * @param principal a name, the same however the caller has shown it
 * @param groups that the caller's token says it is in
 */
public record Identity(String principal, Set<String> groups) {
  /** Everybody, where a cluster runs open. */
  public static final Identity ANONYMOUS = new Identity("anonymous", Set.of());

  public static final int MAX_PRINCIPAL_CHARS = 128;

  public Identity {
    groups = Set.copyOf(groups);
  }

  /** In no group. */
  public Identity(String principal) {
    this(principal, Set.of());
  }

  /** Whether a text can be a principal: short, without a colon and control characters. */
  public static boolean isPrincipal(String text) {
    return !text.isEmpty()
        && text.length() <= MAX_PRINCIPAL_CHARS
        && text.indexOf(':') < 0
        && text.chars().noneMatch(Character::isISOControl);
  }
}
