/**
 * Who may do what. A grant gives a principal, or a group, privileges on the whole cluster, a
 * catalog, a namespace with all below it, or one table. Names are kept as arrays of levels and
 * compared level by level: {@code ["a.b"]} is not {@code ["a","b"]}.
 *
 * <p>Invariants: what isn't granted is forbidden; who has no grant on a thing is told the same
 * whether it exists or not; a list of grants that can't be read grants nothing new.
 */
@NullMarked
package io.wings.common.grant;

import org.jspecify.annotations.NullMarked;
