package io.wings.common.cas;

import io.wings.common.objectstore.Body;
import java.nio.charset.StandardCharsets;
import java.util.TreeMap;

/** Texts: the put id and the fence on the first line, the value on the others. */
final class TextCodec {
  private TextCodec() {}

  static Codec<String> plain() {
    return new Codec<>() {
      @Override
      public Body encode(String value, String putId) {
        return bytes(putId + "\n" + value);
      }

      @Override
      public Stamped<String> decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int line = text.indexOf('\n');
        return new Stamped<>(text.substring(line + 1), text.substring(0, line));
      }
    };
  }

  static FencedCodec<String> fenced() {
    return new FencedCodec<>() {
      @Override
      public Body encode(Fence fence, String value) {
        StringBuilder text = new StringBuilder();
        fence
            .earlier()
            .forEach((epoch, putId) -> text.append(epoch).append('=').append(putId).append(' '));
        return bytes(
            text.append(fence.epoch())
                .append('=')
                .append(fence.putId())
                .append('\n')
                .append(value)
                .toString());
      }

      @Override
      public Fenced<String> decode(byte[] bytes) {
        String text = new String(bytes, StandardCharsets.UTF_8);
        int line = text.indexOf('\n');
        TreeMap<Long, String> puts = new TreeMap<>();
        for (String put : text.substring(0, line).split(" ", -1)) {
          int equals = put.indexOf('=');
          puts.put(Long.parseLong(put.substring(0, equals)), put.substring(equals + 1));
        }
        var last = puts.pollLastEntry();
        return new Fenced<>(
            new Fence(last.getKey(), last.getValue(), puts), text.substring(line + 1));
      }
    };
  }

  static Body bytes(String text) {
    return Body.of(text.getBytes(StandardCharsets.UTF_8));
  }
}
