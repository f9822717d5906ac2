/**
 * The {@code catalog} role: Wings' own catalogs behind the Iceberg REST protocol.
 *
 * <p>Invariants: the prefix of a path is the catalog's name, and nothing else chooses the catalog
 * that a request works on; only catalogs of type {@code wings} are served; no answer holds a
 * catalog's properties or credentials; a catalog is asked for nothing that the caller may not, and
 * of what isn't shown to a caller it is told the same as of what isn't there; an answer of 503
 * means that nothing was changed, one of 500 to a change that it may have been.
 */
@NullMarked
package io.wings.catalog.rest;

import org.jspecify.annotations.NullMarked;
