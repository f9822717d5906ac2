package io.wings.catalog.secret;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** How the reading of a secret ended. Texts say why and what to do, never what a secret holds. */
public sealed interface Reading {
  /** The secret; read-only. */
  record Found(ByteBuffer content) implements Reading {
    public static Found of(byte[] content) {
      return new Found(ByteBuffer.wrap(content).asReadOnlyBuffer());
    }

    public static Found of(String content) {
      return of(content.getBytes(StandardCharsets.UTF_8));
    }

    /** A copy of the content. */
    public byte[] bytes() {
      byte[] bytes = new byte[content.remaining()];
      content.duplicate().get(bytes);
      return bytes;
    }

    @Override
    public String toString() {
      return "Found[***]";
    }
  }

  /** It isn't there, or this process may not read it: that is certain. */
  record Unreadable(String why) implements Reading {}

  /** Whether it is there couldn't be found out: the store didn't answer, or not to the question. */
  record Unreachable(String why) implements Reading {}
}
