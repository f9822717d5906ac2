package io.wings.common.grant;

import java.util.Set;
import java.util.TreeSet;

/** What a subject may do with a scope. */
public record Grant(Subject subject, Scope scope, Set<Privilege> privileges) {
  public Grant {
    privileges = Set.copyOf(privileges);
  }

  boolean gives(Privilege privilege) {
    return privileges.contains(privilege) || privileges.contains(Privilege.ADMIN);
  }

  /** Sorted, for people. */
  public Set<Privilege> sorted() {
    return new TreeSet<>(privileges);
  }
}
