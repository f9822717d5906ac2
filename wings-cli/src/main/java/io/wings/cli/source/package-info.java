/**
 * Files as sequences of Arrow batches. Reading is deterministic: the same file and batch size give
 * the same batches, which is what lets an interrupted load resume by sequence.
 */
@NullMarked
package io.wings.cli.source;

import org.jspecify.annotations.NullMarked;
