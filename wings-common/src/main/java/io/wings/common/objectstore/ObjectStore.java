package io.wings.common.objectstore;

import java.util.Iterator;
import java.util.Optional;

/**
 * A flat, strongly consistent store of immutable byte strings by key.
 *
 * <p>Keys are relative paths of {@code [A-Za-z0-9._=-]+} segments joined by {@code /}; an
 * implementation that is rooted at a prefix adds it itself. All methods block. Reads throw {@link
 * StoreException}: {@link StoreException#retryable()} tells whether the same call may succeed
 * later. An interrupted call ends early with the thread's interrupt flag still set: a read with
 * {@link StoreException}, a put whose outcome then can't be known with {@link PutOutcome.Unknown}.
 */
public interface ObjectStore extends AutoCloseable {
  /** The whole object and its version, or empty when there is none. */
  Optional<StoredObject> get(String key);

  /**
   * Up to {@code length} bytes from {@code offset}; fewer at the end of the object, none at or past
   * it. Empty when there is no object.
   *
   * @param offset from the start of the object, in bytes; negative: the last {@code length} bytes
   *     (the offset's value is then of no account)
   */
  Optional<StoredObject> getRange(String key, long offset, int length);

  /** Size and version, or empty when there is no object. */
  Optional<ObjectHead> head(String key);

  /** Writes {@code body} at {@code key} if {@code condition} holds when the write lands. */
  PutOutcome put(String key, Body body, PutCondition condition);

  /**
   * Objects whose key begins with {@code prefix}, in ascending order of the keys' UTF-8 bytes,
   * after {@code startAfter} (empty: from the first). Pages are fetched as the iterator advances.
   */
  Iterator<ObjectHead> list(String prefix, String startAfter);

  /** Removes the object; no error when there is none. */
  void delete(String key);

  /**
   * Where this store is, without endpoint or credentials: {@code s3://bucket/prefix}, {@code
   * file:///real/path}, {@code memory:name}.
   */
  String address();

  @Override
  void close();
}
