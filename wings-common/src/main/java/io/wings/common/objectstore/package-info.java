/**
 * Object storage, reduced to what Wings needs: get, ranged get, head, conditional put, ordered
 * listing, delete. Implementations pass one contract test.
 *
 * <p>Invariants: a conditional put has exactly the four outcomes of {@link
 * io.wings.common.objectstore.PutOutcome}; it is sent once, never retried by a client library; a
 * {@link io.wings.common.objectstore.StoreException} from {@code put} means <em>not written</em>. A
 * store that can't honour a condition is an error, never a weaker write.
 */
@NullMarked
package io.wings.common.objectstore;

import org.jspecify.annotations.NullMarked;
