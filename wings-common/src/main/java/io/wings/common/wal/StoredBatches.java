package io.wings.common.wal;

import io.wings.common.objectstore.ObjectStore;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.pojo.Schema;
import org.jspecify.annotations.Nullable;

/** A cursor that fetches a segment in bounded ranges, front to back. */
final class StoredBatches implements BatchCursor {
  private record Item(int index, BatchEntry entry) {}

  private final BufferAllocator allocator;
  private final SegmentFooter footer;
  private final String key;
  private final BlockFetch fetch;
  private final List<Item> items;
  private int at = -1;
  private int schema = -1;
  private @Nullable VectorSchemaRoot root;

  StoredBatches(ObjectStore store, String key, SegmentFooter footer, BufferAllocator allocator) {
    this.allocator = allocator;
    this.footer = footer;
    this.key = key;
    this.items = inPlace(footer);
    this.fetch = new BlockFetch(store, key, blocks(footer, items));
  }

  private static List<Item> inPlace(SegmentFooter footer) {
    List<Item> items = new ArrayList<>();
    for (int i = 0; i < footer.entries().size(); i++) {
      if (footer.entries().get(i) instanceof BatchEntry batch) {
        items.add(new Item(i, batch));
      }
    }
    items.sort(Comparator.comparingLong(item -> item.entry().block().offset()));
    return items;
  }

  private static List<Block> blocks(SegmentFooter footer, List<Item> items) {
    List<Block> blocks = new ArrayList<>(footer.schemas());
    items.forEach(item -> blocks.add(item.entry().block()));
    blocks.sort(Comparator.comparingLong(Block::offset));
    return blocks;
  }

  @Override
  public boolean next() {
    if (root != null) {
      root.clear();
    }
    if (items.isEmpty()) {
      fetch.checkHeaderAlone();
    }
    if (at + 1 >= items.size()) {
      return false;
    }
    at++;
    BatchEntry batch = entry();
    if (batch.schema() != schema) {
      closeRoot();
      Block block = footer.schemas().get(batch.schema());
      Schema decoded = SchemaDecoder.decode(key, fetch.next(block), fetch.offset(), block.length());
      root = VectorSchemaRoot.create(decoded, allocator);
      schema = batch.schema();
    }
    byte[] bytes = fetch.next(batch.block());
    new BatchDecoder(key, batch, allocator).decode(bytes, fetch.offset(), root());
    return true;
  }

  @Override
  public BatchEntry entry() {
    return current().entry();
  }

  @Override
  public int index() {
    return current().index();
  }

  private Item current() {
    if (at < 0) {
      throw new NoSuchElementException("before the first batch");
    }
    return items.get(at);
  }

  @Override
  public VectorSchemaRoot root() {
    if (root == null) {
      throw new NoSuchElementException("before the first batch, or closed");
    }
    return root;
  }

  private void closeRoot() {
    if (root != null) {
      root.close();
      root = null;
    }
  }

  @Override
  public void close() {
    closeRoot();
  }
}
