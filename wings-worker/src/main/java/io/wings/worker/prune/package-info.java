/**
 * Prune: it frees the WAL of what is in the table. The boundary goes up by CAS, and only then
 * segments at or below it are deleted.
 *
 * <p>Invariants: nothing above the boundary is deleted; boundary &lt;= watermark &lt;= head, by a
 * watermark that was read after the boundary from freshly loaded metadata and noted in {@code
 * table.json} before the boundary follows it; the boundary stays below the newest checkpoint's
 * number, and one that can be read; a closed boundary is neither raised nor deleted below; ages are
 * differences of the store's own stamps; segments whose rows a rollback took out of the table stay
 * while the table still shows that.
 */
@NullMarked
package io.wings.worker.prune;

import org.jspecify.annotations.NullMarked;
