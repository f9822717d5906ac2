package io.wings.simulation;

import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.iceberg.exceptions.NotFoundException;
import org.apache.iceberg.io.FileIO;
import org.apache.iceberg.io.FileInfo;
import org.apache.iceberg.io.InputFile;
import org.apache.iceberg.io.OutputFile;
import org.apache.iceberg.io.PositionOutputStream;
import org.apache.iceberg.io.SeekableInputStream;
import org.apache.iceberg.io.SupportsBulkOperations;
import org.apache.iceberg.io.SupportsPrefixOperations;
import org.jspecify.annotations.Nullable;

/**
 * Iceberg's files on the simulated store; retries as S3's client does where a call has no
 * condition.
 */
final class SimulatedFileIO implements SupportsBulkOperations, SupportsPrefixOperations {
  private static final long serialVersionUID = 1L;

  /** What locations begin with; the rest is the key. */
  static final String ROOT = "sim://warehouse/";

  private static final int ATTEMPTS = 5;

  private final transient ObjectStore store;

  SimulatedFileIO(ObjectStore store) {
    this.store = store;
  }

  static String key(String location) {
    if (!location.startsWith(ROOT)) {
      throw new IllegalArgumentException("outside of the warehouse: " + location);
    }
    return location.substring(ROOT.length());
  }

  private static <T> T retried(Supplier<T> call) {
    for (int attempt = 1; ; attempt++) {
      try {
        return call.get();
      } catch (StoreException e) {
        if (attempt >= ATTEMPTS || Thread.currentThread().isInterrupted()) {
          throw e;
        }
      }
    }
  }

  @Override
  public InputFile newInputFile(String location) {
    return new Input(store, location);
  }

  @Override
  public OutputFile newOutputFile(String location) {
    return new Output(store, location);
  }

  @Override
  public void deleteFile(String location) {
    boolean _ =
        retried(
            () -> {
              store.delete(key(location));
              return true;
            });
  }

  @Override
  public void deleteFiles(Iterable<String> locations) {
    locations.forEach(this::deleteFile);
  }

  @Override
  public Iterable<FileInfo> listPrefix(String prefix) {
    return retried(
        () -> {
          List<FileInfo> found = new ArrayList<>();
          for (var heads = store.list(key(prefix), ""); heads.hasNext(); ) {
            ObjectHead head = heads.next();
            found.add(new FileInfo(ROOT + head.key(), head.size(), head.modified().toEpochMilli()));
          }
          return found;
        });
  }

  @Override
  public void deletePrefix(String prefix) {
    throw new UnsupportedOperationException("nobody deletes by prefix");
  }

  @Override
  public void close() {}

  private static final class Input implements InputFile {
    private final ObjectStore store;
    private final String location;
    private byte @Nullable [] content;

    Input(ObjectStore store, String location) {
      this.store = store;
      this.location = location;
    }

    private byte[] content() {
      byte[] known = content;
      if (known == null) {
        known =
            retried(() -> store.get(key(location)))
                .orElseThrow(() -> new NotFoundException("no file %s", location))
                .bytes();
        content = known;
      }
      return known;
    }

    @Override
    public long getLength() {
      return content().length;
    }

    @Override
    public SeekableInputStream newStream() {
      return new Bytes(content());
    }

    @Override
    public String location() {
      return location;
    }

    @Override
    public boolean exists() {
      Optional<ObjectHead> head = retried(() -> store.head(key(location)));
      return head.isPresent();
    }
  }

  private static final class Bytes extends SeekableInputStream {
    private final byte[] bytes;
    private int at;

    Bytes(byte[] bytes) {
      this.bytes = bytes;
    }

    @Override
    public long getPos() {
      return at;
    }

    @Override
    public void seek(long position) {
      at = Math.toIntExact(position);
    }

    @Override
    public int read() {
      return at < bytes.length ? bytes[at++] & 0xff : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) {
      if (at >= bytes.length) {
        return length == 0 ? 0 : -1;
      }
      int count = Math.min(length, bytes.length - at);
      System.arraycopy(bytes, at, target, offset, count);
      at += count;
      return count;
    }
  }

  private record Output(ObjectStore store, String location) implements OutputFile {
    @Override
    public PositionOutputStream create() {
      return createOrOverwrite();
    }

    @Override
    public PositionOutputStream createOrOverwrite() {
      return new Upload(store, location);
    }

    @Override
    public InputFile toInputFile() {
      return new Input(store, location);
    }
  }

  private static final class Upload extends PositionOutputStream {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final ObjectStore store;
    private final String location;
    private boolean closed;

    Upload(ObjectStore store, String location) {
      this.store = store;
      this.location = location;
    }

    @Override
    public long getPos() {
      return bytes.size();
    }

    @Override
    public void write(int value) {
      bytes.write(value);
    }

    @Override
    public void write(byte[] source, int offset, int length) {
      bytes.write(source, offset, length);
    }

    @Override
    public void close() throws IOException {
      if (closed) {
        return;
      }
      closed = true;
      for (int attempt = 1; attempt <= ATTEMPTS; attempt++) {
        PutOutcome outcome =
            store.put(key(location), Body.of(bytes.toByteArray()), PutCondition.any());
        if (outcome instanceof PutOutcome.Written) {
          return;
        }
      }
      throw new IOException("no answer to the upload of " + location);
    }
  }

  /** Of a file that is there, for checkers. */
  static FileIO of(ObjectStore truth) {
    return new SimulatedFileIO(truth);
  }
}
