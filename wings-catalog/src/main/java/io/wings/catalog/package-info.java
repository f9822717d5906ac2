/**
 * Tenants: which catalogs there are, the secrets that open them, and the opened catalogs.
 *
 * <p>Invariants: a catalog is registered with a pointer to its secret, never with credentials; a
 * secret is neither logged nor part of an error; whatever is cached here is keyed by the catalog's
 * name first; a catalog never works with the process's own credentials; nothing that Iceberg or a
 * catalog does through the FileIO it gets here deletes a file.
 */
@NullMarked
package io.wings.catalog;

import org.jspecify.annotations.NullMarked;
