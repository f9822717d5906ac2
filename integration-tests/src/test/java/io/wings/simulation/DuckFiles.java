package io.wings.simulation;

import io.wings.simulation.kernel.SimulatedProcess;
import io.wings.worker.engine.AppendResult;
import io.wings.worker.engine.AppendTarget;
import io.wings.worker.engine.BatchSource;
import io.wings.worker.engine.DataEngine;
import io.wings.worker.engine.EngineSettings;
import io.wings.worker.materialize.RowWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.vector.FieldVector;
import org.apache.arrow.vector.VectorSchemaRoot;
import org.apache.arrow.vector.util.TransferPair;

/**
 * Writes the rows of a pass with production's engine, DuckDB. Its native calls can't wait for a
 * simulated thread, so all batches are there before it begins.
 */
final class DuckFiles implements RowWriter {
  private final SimulatedProcess process;
  private final BufferAllocator allocator;

  DuckFiles(SimulatedProcess process, BufferAllocator allocator) {
    this.process = process;
    this.allocator = allocator;
  }

  @Override
  public AppendResult append(AppendTarget target, BatchSource batches) throws InterruptedException {
    List<VectorSchemaRoot> all = new ArrayList<>();
    try {
      for (VectorSchemaRoot root = batches.next(); root != null; root = batches.next()) {
        all.add(copy(root));
      }
      Path scratch = Files.createTempDirectory("wings-simulation");
      EngineSettings settings =
          new EngineSettings(scratch, EngineSettings.MIN_BYTES, EngineSettings.MIN_BYTES, 1, 1);
      try (DataEngine engine =
          DataEngine.open(settings, allocator, process.time(), process.threadFactory())) {
        Iterator<VectorSchemaRoot> next = all.iterator();
        return engine.append(target, () -> next.hasNext() ? next.next() : null);
      } finally {
        Files.deleteIfExists(scratch);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      all.forEach(VectorSchemaRoot::close);
    }
  }

  private VectorSchemaRoot copy(VectorSchemaRoot root) {
    List<FieldVector> vectors = new ArrayList<>();
    for (FieldVector vector : root.getFieldVectors()) {
      TransferPair pair = vector.getTransferPair(vector.getField(), allocator);
      pair.splitAndTransfer(0, root.getRowCount());
      vectors.add((FieldVector) pair.getTo());
    }
    VectorSchemaRoot copy = new VectorSchemaRoot(vectors);
    copy.setRowCount(root.getRowCount());
    return copy;
  }
}
