package io.wings.common.grant;

import io.wings.common.auth.Identity;
import io.wings.common.cluster.CatalogName;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** All grants of a cluster, as they are at one moment. */
public record Grants(List<Grant> all) {
  public static final Grants NONE = new Grants(List.of());

  /** Of a cluster; each list has a bound, and this is its. */
  public static final int MAX_GRANTS = 10_000;

  public Grants {
    all = List.copyOf(all);
  }

  /** Whether somebody may do something with something. */
  public boolean allow(Identity identity, Privilege privilege, Scope scope) {
    return all.stream()
        .anyMatch(
            grant ->
                grant.gives(privilege)
                    && grant.subject().includes(identity)
                    && grant.scope().covers(scope));
  }

  /** Whether somebody may know that something is there: who may do anything with it may. */
  public boolean reveal(Identity identity, Scope scope) {
    return all.stream()
        .anyMatch(grant -> grant.subject().includes(identity) && grant.scope().covers(scope));
  }

  /** Whether somebody may know that something is there because of what is below it. */
  public boolean revealWithin(Identity identity, Scope scope) {
    return all.stream()
        .anyMatch(
            grant ->
                grant.subject().includes(identity)
                    && (grant.scope().covers(scope) || scope.covers(grant.scope())));
  }

  /** The catalogs that somebody may know of; empty: all that there are. */
  public Optional<Set<CatalogName>> catalogs(Identity identity) {
    Set<CatalogName> known = new TreeSet<>();
    for (Grant grant : all) {
      if (!grant.subject().includes(identity)) {
        continue;
      }
      List<String> path = grant.scope().path();
      if (path.isEmpty()) {
        return Optional.empty();
      }
      known.add(new CatalogName(path.getFirst()));
    }
    return Optional.of(known);
  }

  /** With more privileges of a subject on a scope. */
  public Grants with(Subject subject, Scope scope, Set<Privilege> more) {
    Set<Privilege> privileges = EnumSet.copyOf(more);
    privileges.addAll(privileges(subject, scope));
    return replacing(subject, scope, privileges);
  }

  /** Without some. */
  public Grants without(Subject subject, Scope scope, Set<Privilege> less) {
    Set<Privilege> privileges = EnumSet.noneOf(Privilege.class);
    privileges.addAll(privileges(subject, scope));
    privileges.removeAll(less);
    return replacing(subject, scope, privileges);
  }

  private Set<Privilege> privileges(Subject subject, Scope scope) {
    return all.stream()
        .filter(grant -> grant.subject().equals(subject) && grant.scope().equals(scope))
        .findFirst()
        .map(Grant::privileges)
        .orElse(Set.of());
  }

  private Grants replacing(Subject subject, Scope scope, Set<Privilege> privileges) {
    List<Grant> now = new ArrayList<>();
    for (Grant grant : all) {
      if (!grant.subject().equals(subject) || !grant.scope().equals(scope)) {
        now.add(grant);
      }
    }
    if (!privileges.isEmpty()) {
      now.add(new Grant(subject, scope, privileges));
    }
    return new Grants(now);
  }
}
