package io.wings.common.objectstore.local;

import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.StoreException;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Walks directories in the order of flat keys: a directory sorts as its name with a slash at the
 * end, which puts {@code a.b} before {@code a/b} and that before {@code a0}.
 */
final class Listing implements Iterator<ObjectHead> {
  private final Path root;
  private final String prefix;
  private final String startAfter;

  /** Entries yet to be visited, innermost directory on top; a directory ends in a slash. */
  private final Deque<Iterator<String>> open = new ArrayDeque<>();

  private @Nullable ObjectHead next;

  Listing(Path root, String prefix, String startAfter) {
    this.root = root;
    this.prefix = prefix;
    this.startAfter = startAfter;
    descend("");
    advance();
  }

  private void advance() {
    next = null;
    while (next == null && !open.isEmpty()) {
      Iterator<String> entries = open.peek();
      if (!entries.hasNext()) {
        open.pop();
        continue;
      }
      String entry = entries.next();
      if (entry.endsWith("/")) {
        descend(entry);
      } else {
        next = head(entry);
      }
    }
  }

  /** Null when the object has gone since its directory was read. */
  private @Nullable ObjectHead head(String key) {
    Path link = root.resolve(key);
    try {
      Optional<StoredFile> file = StoredFile.at(link);
      while (file.isPresent()) {
        try {
          return file.get().head(key);
        } catch (NoSuchFileException _) {
          file = StoredFile.at(link);
        }
      }
      return null;
    } catch (IOException e) {
      throw LocalStore.failure("list of " + prefix, e);
    }
  }

  private void descend(String directory) {
    List<String> entries = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(root.resolve(directory))) {
      for (Path path : stream) {
        String name = String.valueOf(path.getFileName());
        if (name.startsWith(".")) {
          continue;
        }
        boolean nested = Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
        String entry = directory + name + (nested ? "/" : "");
        if (wanted(entry, nested)) {
          entries.add(entry);
        }
      }
    } catch (NoSuchFileException | NotDirectoryException _) {
      return;
    } catch (DirectoryIteratorException e) {
      throw new StoreException("list of " + prefix + " failed: " + e, true, e);
    } catch (IOException e) {
      throw LocalStore.failure("list of " + prefix, e);
    }
    entries.sort(null);
    open.push(entries.iterator());
  }

  private boolean wanted(String entry, boolean directory) {
    if (directory) {
      boolean mayHoldPrefix = entry.startsWith(prefix) || prefix.startsWith(entry);
      boolean mayHoldLater = entry.compareTo(startAfter) > 0 || startAfter.startsWith(entry);
      return mayHoldPrefix && mayHoldLater;
    }
    return entry.startsWith(prefix) && entry.compareTo(startAfter) > 0;
  }

  @Override
  public boolean hasNext() {
    return next != null;
  }

  @Override
  public ObjectHead next() {
    ObjectHead current = next;
    if (current == null) {
      throw new NoSuchElementException();
    }
    advance();
    return current;
  }
}
