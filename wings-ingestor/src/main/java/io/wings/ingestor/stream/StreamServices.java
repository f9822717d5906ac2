package io.wings.ingestor.stream;

import io.wings.common.time.Time;
import io.wings.common.wal.BatchEncoder;
import io.wings.ingestor.table.TableWatches;
import io.wings.ingestor.table.Tables;
import java.util.concurrent.Semaphore;
import org.apache.arrow.memory.BufferAllocator;

/**
 * What all streams of a process share.
 *
 * @param dictionaries memory for the dictionaries of all streams
 * @param scratch memory for batches while they are decoded
 * @param decoding permits, one for each batch that may be decoded at a time: what bounds {@code
 *     scratch}
 */
public record StreamServices(
    Tables tables,
    TableWatches watches,
    LaneOpening lanes,
    BatchEncoder encoder,
    StreamLimits limits,
    BufferAllocator dictionaries,
    BufferAllocator scratch,
    Semaphore decoding,
    StreamMeters meters,
    Time time) {}
