/**
 * Catalogs that are not Wings' own, with what their clients do by themselves switched off.
 *
 * <p>Invariants: a commit is posted at most once (no retry of the HTTP client, none of the JDBC
 * pool: a retried post that had landed comes back as a conflict); what a server sends overrides
 * only what is listed here; tables get the FileIO that was given, whatever the catalog asks for.
 */
@NullMarked
package io.wings.catalog.foreign;

import org.jspecify.annotations.NullMarked;
