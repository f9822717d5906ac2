/**
 * FileIO of tenants: local files without Hadoop, S3 with the tenant's own credentials, and the two
 * guards that stand before both: locations that a tenant may not use are refused, and deletes are
 * ignored except through Wings' own path.
 */
@NullMarked
package io.wings.catalog.io;

import org.jspecify.annotations.NullMarked;
