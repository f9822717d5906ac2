package io.wings.cli.orders;

import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.BigIntVector;
import org.apache.arrow.vector.BitVector;
import org.apache.arrow.vector.DecimalVector;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.IntVector;
import org.apache.arrow.vector.TimeStampMicroTZVector;
import org.apache.arrow.vector.VarCharVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/**
 * Rows {@code first} to {@code first + count - 1} of an endless, seeded list of orders. The ids are
 * the row numbers, so no two orders are equal; about 75 bytes a row in Arrow.
 */
public final class Orders {
  /** Days over which the orders spread, so that a table by day has several partitions. */
  private static final int DAYS = 4;

  private static final long MICROS_PER_DAY = 86_400_000_000L;
  private static final long START_MICROS =
      Instant.parse("2026-11-01T00:00:00Z").getEpochSecond() * 1_000_000L;
  private static final List<byte[]> STATUSES =
      List.of(utf8("open"), utf8("paid"), utf8("shipped"), utf8("returned"));
  private static final List<byte[]> CITIES =
      List.of(utf8("Zürich"), utf8("São Paulo"), utf8("Osaka"), utf8("Nairobi"), utf8("Tromsø"));

  private static final Schema SCHEMA =
      new Schema(
          List.of(
              field("order_id", false, new ArrowType.Int(64, true)),
              field("customer_id", false, new ArrowType.Int(32, true)),
              field("ordered_at", false, new ArrowType.Timestamp(TimeUnit.MICROSECOND, "UTC")),
              field("status", false, new ArrowType.Utf8()),
              field("city", true, new ArrowType.Utf8()),
              field("amount", false, new ArrowType.Decimal(12, 2, 128)),
              field("gift", true, new ArrowType.Bool()),
              field("note", true, new ArrowType.Utf8())));

  private Orders() {}

  public static Schema schema() {
    return SCHEMA;
  }

  /** A batch of orders; the caller closes it. */
  public static VectorSchemaRoot batch(long first, int count, BufferAllocator allocator) {
    VectorSchemaRoot root = VectorSchemaRoot.create(SCHEMA, allocator);
    for (FieldVector vector : root.getFieldVectors()) {
      vector.setInitialCapacity(count);
      vector.allocateNew();
    }
    Columns columns = new Columns(root);
    for (int row = 0; row < count; row++) {
      columns.set(row, first + row);
    }
    root.setRowCount(count);
    return root;
  }

  /** Bytes of the batch's buffers. */
  public static long bytes(VectorSchemaRoot batch) {
    long sum = 0;
    for (FieldVector vector : batch.getFieldVectors()) {
      sum += vector.getBufferSize();
    }
    return sum;
  }

  private static Field field(String name, boolean nullable, ArrowType type) {
    return new Field(name, new FieldType(nullable, type, null), null);
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static final class Columns {
    private final BigIntVector id;
    private final IntVector customer;
    private final TimeStampMicroTZVector time;
    private final VarCharVector status;
    private final VarCharVector city;
    private final DecimalVector amount;
    private final BitVector gift;
    private final VarCharVector note;

    Columns(VectorSchemaRoot root) {
      id = (BigIntVector) root.getVector("order_id");
      customer = (IntVector) root.getVector("customer_id");
      time = (TimeStampMicroTZVector) root.getVector("ordered_at");
      status = (VarCharVector) root.getVector("status");
      city = (VarCharVector) root.getVector("city");
      amount = (DecimalVector) root.getVector("amount");
      gift = (BitVector) root.getVector("gift");
      note = (VarCharVector) root.getVector("note");
    }

    void set(int row, long order) {
      SplittableRandom random = new SplittableRandom(order);
      id.setSafe(row, order);
      customer.setSafe(row, random.nextInt(100_000));
      time.setSafe(row, START_MICROS + random.nextLong(DAYS * MICROS_PER_DAY));
      status.setSafe(row, STATUSES.get(random.nextInt(STATUSES.size())));
      amount.setSafe(row, BigDecimal.valueOf(random.nextInt(1_000_000), 2));
      int kind = random.nextInt(8);
      if (kind > 0) {
        city.setSafe(row, CITIES.get(random.nextInt(CITIES.size())));
      }
      if (kind > 1) {
        gift.setSafe(row, random.nextInt(10) == 0 ? 1 : 0);
      }
      if (kind > 4) {
        note.setSafe(row, utf8("note " + Long.toHexString(random.nextLong())));
      }
    }
  }
}
