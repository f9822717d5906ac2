/**
 * Transport security: what a process shows and whom it trusts, from PEM files that may be replaced
 * while it runs.
 *
 * <p>Invariants: a replacement that can't be used is reported, and the last good one stays in
 * force; a connection inside the cluster is made only if both ends show a certificate of the
 * cluster's authority that bears the cluster's name; a key is never logged.
 */
@NullMarked
package io.wings.common.tls;

import org.jspecify.annotations.NullMarked;
