package io.wings.ingestor.lane;

import io.wings.common.cluster.Position;
import io.wings.common.wal.EncodedBatch;
import io.wings.common.wal.EpochRecord;
import io.wings.common.wal.Operation;
import io.wings.common.wal.ProducerKey;
import io.wings.common.wal.ProducerState;
import io.wings.common.wal.RejectedEntry;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Something submitted to a lane and not yet decided. */
sealed interface Pending {
  /** What one costs beside its texts and data, in memory and in a segment, in bytes. */
  int FIXED_BYTES = 256;

  Session session();

  /** What it takes of a segment's cap. */
  long segmentBytes();

  /** What its entry takes of a segment's footer, at most; 0 where it leaves none. */
  long footerBytes();

  /** What it takes of the buffer. */
  long bufferBytes();

  record Batch(
      Session session,
      ProducerKey producer,
      long epoch,
      long sequence,
      @Nullable String token,
      Operation operation,
      EncodedBatch batch)
      implements Pending {
    @Override
    public long segmentBytes() {
      return batch.rawBytes() + footerBytes();
    }

    @Override
    public long bufferBytes() {
      return batch.size() + footerBytes();
    }

    @Override
    public long footerBytes() {
      return FIXED_BYTES + text(producer) + (token == null ? 0 : 3L * token.length());
    }
  }

  record Rejection(Session session, RejectedEntry entry) implements Pending {
    @Override
    public long segmentBytes() {
      return FIXED_BYTES + text(entry.producer()) + 3L * entry.reason().length();
    }

    @Override
    public long footerBytes() {
      return segmentBytes();
    }

    @Override
    public long bufferBytes() {
      return segmentBytes();
    }
  }

  record Opening(Session session, EpochRecord record, Answer<ProducerOpened> answer)
      implements Pending {
    @Override
    public long segmentBytes() {
      return FIXED_BYTES + text(record.producer());
    }

    @Override
    public long footerBytes() {
      return segmentBytes();
    }

    @Override
    public long bufferBytes() {
      return segmentBytes();
    }
  }

  /** Decided when all before it is; leaves no entry. */
  record Question(
      Session session,
      ProducerKey producer,
      long epoch,
      long sequence,
      Answer<Optional<LaneResult>> answer)
      implements Pending {
    @Override
    public long segmentBytes() {
      return 0;
    }

    @Override
    public long footerBytes() {
      return 0;
    }

    @Override
    public long bufferBytes() {
      return FIXED_BYTES + text(producer);
    }
  }

  /** Decided when all before it is; leaves no entry. */
  record Recall(Session session, ProducerKey producer, Answer<Optional<ProducerState>> answer)
      implements Pending {
    @Override
    public long segmentBytes() {
      return 0;
    }

    @Override
    public long footerBytes() {
      return 0;
    }

    @Override
    public long bufferBytes() {
      return FIXED_BYTES + text(producer);
    }
  }

  /** Whether it becomes an entry of a segment when it is accepted. */
  default boolean isEntry() {
    return switch (this) {
      case Batch _, Rejection _, Opening _ -> true;
      case Question _, Recall _, Flush _ -> false;
    };
  }

  /** Decided when all before it is. */
  record Flush(Session session, Answer<Position> answer) implements Pending {
    @Override
    public long segmentBytes() {
      return 0;
    }

    @Override
    public long footerBytes() {
      return 0;
    }

    @Override
    public long bufferBytes() {
      return FIXED_BYTES;
    }
  }

  private static long text(ProducerKey producer) {
    return 3L * (producer.principal().length() + producer.name().length());
  }
}
