package io.wings.common.objectstore.local;

import io.wings.common.id.Ids;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectKeys;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.objectstore.StoreException;
import io.wings.common.objectstore.StoredObject;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Objects in a local directory, safe across processes and handles; see the package for how.
 *
 * <p>Limits: one machine and a file system with symbolic links and POSIX locks (ext4, xfs, btrfs,
 * apfs; not NFS); a key can't be the directory of another; listing holds the names of one directory
 * at a time in memory; a process that is stopped (SIGSTOP) within the microseconds of a replacement
 * holds up the replacements of 1 in {@value KeyLocks#STRIPES} keys until it goes on or dies.
 */
public final class LocalStore implements ObjectStore {
  /** How often an object may be replaced between reading its link and opening its bytes. */
  private static final int MAX_LOOKS = 100;

  private final Path root;
  private final Ids ids;
  private final KeyLocks locks;

  private LocalStore(Path root, Ids ids) {
    this.root = root;
    this.ids = ids;
    this.locks = new KeyLocks(root);
  }

  /**
   * Opens the store in {@code directory}, made if need be.
   *
   * @param ids for versions: must never repeat one, across processes too
   * @throws StoreException when the directory can't be made or written
   */
  public static LocalStore open(Path directory, Ids ids) {
    try {
      Files.createDirectories(directory);
      return new LocalStore(directory.toRealPath(), ids);
    } catch (IOException e) {
      throw failure("open of " + directory, e);
    }
  }

  @Override
  public Optional<StoredObject> get(String key) {
    return reading(
        key,
        (head, channel) -> {
          ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(head.size()));
          fill(channel, bytes, 0);
          return new StoredObject(head, bytes.array());
        });
  }

  @Override
  public Optional<StoredObject> getRange(String key, long offset, int length) {
    return reading(
        key,
        (head, channel) -> {
          long from =
              offset < 0 ? Math.max(0, head.size() - length) : Math.min(offset, head.size());
          ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(length, head.size() - from));
          fill(channel, bytes, from);
          return new StoredObject(head, bytes.array());
        });
  }

  @Override
  public Optional<ObjectHead> head(String key) {
    return reading(key, (head, _) -> head);
  }

  private interface Reader<T> {
    T read(ObjectHead head, FileChannel channel) throws IOException;
  }

  /** Opens the bytes that the key's link names, once more when they were replaced in between. */
  private <T> Optional<T> reading(String key, Reader<T> reader) {
    Path link = path(key);
    try {
      for (int look = 0; look < MAX_LOOKS; look++) {
        Optional<StoredFile> file = StoredFile.at(link);
        if (file.isEmpty()) {
          return Optional.empty();
        }
        try (FileChannel channel = FileChannel.open(file.get().data(), StandardOpenOption.READ)) {
          return Optional.of(reader.read(file.get().head(key), channel));
        } catch (NoSuchFileException _) {
          // Replaced or removed since the link was read.
        }
      }
    } catch (IOException e) {
      throw failure("read of " + key, e);
    }
    throw new StoreException(key + " was replaced " + MAX_LOOKS + " times while read", true, null);
  }

  private static void fill(FileChannel channel, ByteBuffer bytes, long from) throws IOException {
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, from + bytes.position()) < 0) {
        throw new IOException("the file is shorter than it was: " + bytes);
      }
    }
  }

  @Override
  public PutOutcome put(String key, Body body, PutCondition condition) {
    Path link = path(key);
    StoredFile file = StoredFile.fresh(link, ids.hex());
    try {
      Directories.create(root, file.directory());
      PutOutcome refusal = refusedAlready(link, condition);
      if (refusal != null) {
        return refusal;
      }
      write(file, body);
    } catch (IOException e) {
      discard(file.data());
      throw failure("put of " + key, e);
    }
    PutOutcome outcome;
    try {
      outcome =
          switch (condition) {
            case PutCondition.IfAbsent() -> create(link, file);
            case PutCondition.Any() -> locks.locked(key, () -> replace(link, file));
            case PutCondition.IfVersion(String version) ->
                locks.locked(key, () -> replaceIf(link, version, file));
          };
    } catch (IOException e) {
      if (mayBeNamed(link, file)) {
        return new PutOutcome.Unknown("may be written: " + e);
      }
      discard(file.data());
      throw failure("put of " + key, e);
    }
    if (!(outcome instanceof PutOutcome.Written)) {
      discard(file.data());
      return outcome;
    }
    try {
      Directories.sync(file.directory());
      return outcome;
    } catch (IOException e) {
      return new PutOutcome.Unknown("written, but not known to be on disk: " + e);
    }
  }

  /** Whether the object may be {@code file}, which must not be discarded then. */
  private static boolean mayBeNamed(Path link, StoredFile file) {
    try {
      return StoredFile.at(link).filter(file::equals).isPresent();
    } catch (IOException _) {
      return true;
    }
  }

  /**
   * Spares the writing of bytes that can't win: an object or version only ever goes out of date.
   */
  private static @Nullable PutOutcome refusedAlready(Path link, PutCondition condition)
      throws IOException {
    return switch (condition) {
      case PutCondition.Any() -> null;
      case PutCondition.IfAbsent() ->
          StoredFile.at(link).isPresent() ? new PutOutcome.Lost() : null;
      case PutCondition.IfVersion(String version) -> refusal(link, version);
    };
  }

  private static @Nullable PutOutcome refusal(Path link, String version) throws IOException {
    Optional<StoredFile> current = StoredFile.at(link);
    if (current.isEmpty()) {
      return new PutOutcome.Missing();
    }
    return current.get().version().equals(version) ? null : new PutOutcome.Lost();
  }

  /** The bytes and their name are on disk before a link can name them. */
  private static void write(StoredFile file, Body body) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file.data(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (ByteBuffer part : body.parts()) {
        while (part.hasRemaining()) {
          channel.write(part);
        }
      }
      channel.force(true);
    }
    Directories.sync(file.directory());
  }

  private static PutOutcome create(Path link, StoredFile file) throws IOException {
    try {
      Files.createSymbolicLink(link, Path.of(file.target()));
      return new PutOutcome.Written(file.version());
    } catch (FileAlreadyExistsException _) {
      return new PutOutcome.Lost();
    }
  }

  /** The caller holds the key's lock. */
  private static PutOutcome replaceIf(Path link, String version, StoredFile file)
      throws IOException {
    PutOutcome refusal = refusal(link, version);
    return refusal == null ? replace(link, file) : refusal;
  }

  /** The caller holds the key's lock. */
  private static PutOutcome replace(Path link, StoredFile file) throws IOException {
    Optional<StoredFile> before = StoredFile.at(link);
    Path fresh = file.temporaryLink();
    Files.createSymbolicLink(fresh, Path.of(file.target()));
    try {
      Files.move(fresh, link, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      discard(fresh);
      throw e;
    }
    before.ifPresent(replaced -> discard(replaced.data()));
    return new PutOutcome.Written(file.version());
  }

  @Override
  public Iterator<ObjectHead> list(String prefix, String startAfter) {
    ObjectKeys.requirePrefix(prefix);
    ObjectKeys.requirePrefix(startAfter);
    return new Listing(root, prefix, startAfter);
  }

  @Override
  public void delete(String key) {
    Path link = path(key);
    try {
      locks.locked(
          key,
          () -> {
            Optional<StoredFile> file = StoredFile.at(link);
            if (file.isPresent()) {
              Files.deleteIfExists(link);
              Directories.sync(file.get().directory());
              discard(file.get().data());
            }
            return file;
          });
    } catch (IOException e) {
      throw failure("delete of " + key, e);
    }
  }

  /** Best effort: what stays is a hidden file that nothing names. */
  private static void discard(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException _) {
      // Costs space only.
    }
  }

  private Path path(String key) {
    return root.resolve(ObjectKeys.requireKey(key));
  }

  static StoreException failure(String what, IOException e) {
    if (e instanceof ClosedByInterruptException) {
      Thread.currentThread().interrupt();
    }
    return new StoreException(what + " failed: " + e, true, e);
  }

  @Override
  public String address() {
    return "file://" + root;
  }

  @Override
  public void close() {}
}
