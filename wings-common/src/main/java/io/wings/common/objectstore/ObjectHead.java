package io.wings.common.objectstore;

import java.time.Instant;

/**
 * What a store tells of an object without its content.
 *
 * @param version opaque; equal content may give an equal version, so every object that is replaced
 *     under a condition carries a random put id in its body
 * @param size in bytes
 * @param modified the store's own clock
 */
public record ObjectHead(String key, String version, long size, Instant modified) {}
