/**
 * An independent answer to "is every row there exactly once": rows are reduced to 64-bit hashes on
 * the sender's side and again by Iceberg's own reader, and the two multisets are compared.
 *
 * <p>Invariant: nothing here shares code with the worker.
 */
@NullMarked
package io.wings.cli.verify;

import org.jspecify.annotations.NullMarked;
