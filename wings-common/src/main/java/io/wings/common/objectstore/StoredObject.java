package io.wings.common.objectstore;

/**
 * Bytes read from the store.
 *
 * @param head key, version and size of the whole object
 * @param bytes the content, or the requested range of it; owned by the caller
 */
@SuppressWarnings("ArrayRecordComponent")
public record StoredObject(ObjectHead head, byte[] bytes) {
  public String version() {
    return head.version();
  }
}
