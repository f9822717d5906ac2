/**
 * Where secrets are, and how one is read from a store of secrets.
 *
 * <p>Invariants: a pointer never holds a secret, and text that is no pointer is never repeated; a
 * store is asked with the process's own credentials, which nothing else of a tenant's ever sees; no
 * answer of a store is quoted, only its code; every request has a bound in time.
 */
@NullMarked
package io.wings.catalog.secret;

import org.jspecify.annotations.NullMarked;
