/**
 * A store in a local directory, safe for any number of processes on one machine.
 *
 * <p>An object is a pair of files in one directory: the bytes, in a hidden file that never changes
 * and whose name ends in a random version, and under the object's own name a symbolic link to it.
 * So a version is never used twice, a reader sees the old bytes or the new ones and nothing else,
 * creating an object is one exclusive {@code symlink(2)}, and {@code cat} and {@code jq} work on
 * the name.
 *
 * <p>Invariants: the bytes are on disk (fsync) before the link names them, and the link is (fsync
 * of the directory) before a put is answered <em>written</em>; whatever replaces or removes a link
 * holds the lock of its key, across processes; creating one needs no lock. A process that dies in
 * between leaves at most a hidden file that nothing names.
 */
@NullMarked
package io.wings.common.objectstore.local;

import org.jspecify.annotations.NullMarked;
