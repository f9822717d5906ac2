package io.wings.cli.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.Console;
import io.wings.cli.source.FileBatches;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.dictionary.DictionaryProvider;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings ingest}: loads files as a named producer, so that an interrupted run resumes. */
@Command(
    name = "ingest",
    mixinStandardHelpOptions = true,
    description = {
      "Streams files into a table: Parquet, Arrow IPC (file and stream), CSV, newline-delimited JSON.",
      "Each file is a named producer. A run that was interrupted goes on where it was durable; a file"
          + " that was loaded before is not loaded again (give another --producer to do so)."
    })
public final class IngestCommand implements Callable<Integer> {
  private static final int PART_BYTES = 1 << 20;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private final ServerOptions server = new ServerOptions();

  @Option(
      names = "--table",
      required = true,
      paramLabel = "TABLE",
      description = "catalog.namespace.table")
  private String table = "";

  @Option(names = "--create", description = "Create the table from the first file's schema.")
  private boolean create;

  @Option(
      names = "--producer",
      paramLabel = "NAME",
      description = "Producer to load as (default: one per file, from its content).")
  private @Nullable String producer;

  @Option(
      names = "--batch-rows",
      defaultValue = "50000",
      paramLabel = "ROWS",
      description =
          "Rows of a batch, for formats without batches of their own (default: ${DEFAULT-VALUE}). A"
              + " resumed run needs the same.")
  private int batchRows;

  @Option(names = "--json", description = "Print one JSON line for each file.")
  private boolean json;

  @Parameters(arity = "1..*", paramLabel = "FILE")
  private List<Path> files = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (batchRows < 1) {
      throw WingsException.invalid(
          "option-invalid", "--batch-rows is at least 1, got " + batchRows);
    }
    if (producer != null && files.size() > 1) {
      throw WingsException.invalid(
          "producer-ambiguous",
          "--producer names one file's producer, got " + files.size() + " files");
    }
    TableName name = TableName.parse(table);
    try (BufferAllocator allocator = new RootAllocator();
        WingsClient client = server.connect(allocator)) {
      for (Path file : files) {
        load(client, name, file, allocator);
      }
    }
    return 0;
  }

  private void load(WingsClient client, TableName name, Path file, BufferAllocator allocator)
      throws IOException, InterruptedException {
    FileBatches.requireReadable(file);
    String as = producer != null ? producer : "ingest-" + fingerprint(file);
    try (FileBatches batches = FileBatches.open(file, batchRows, allocator)) {
      // Before the table is made: a file that can't be read leaves none.
      boolean any = batches.next();
      if (create) {
        new TableCreation(name).ifMissing(client, batches.schema());
      }
      Progress progress = new Progress(file, Console.of(spec));
      try (ProducerStream stream =
          ProducerStream.open(
              client,
              name,
              as,
              batches.root(),
              new DictionaryProvider.MapDictionaryProvider(),
              (through, answer) -> progress.acknowledged(through))) {
        if (stream.maybeForgotten()) {
          Console.of(spec)
              .say(
                  "wings: warning: the log has forgotten older producers; whether "
                      + file
                      + " was loaded long ago can't be told");
        }
        send(any, batches, stream, progress);
      }
      progress.done();
      report(file, as, progress);
    }
  }

  /**
   * Sends what the log hasn't got.
   *
   * @param any whether the batches' root holds the first one
   */
  private static void send(
      boolean any, FileBatches batches, ProducerStream stream, Progress progress)
      throws InterruptedException {
    long sequence = 0;
    long through = 0;
    for (boolean more = any; more; more = batches.next()) {
      sequence++;
      int rows = batches.root().getRowCount();
      through += rows;
      if (sequence > stream.resumedFrom()) {
        stream.send(rowsToken(through));
        progress.sent(rows);
      } else {
        progress.skipped(rows);
        if (sequence == stream.resumedFrom()) {
          requireSameBatches(stream, through);
        }
      }
    }
    if (sequence < stream.resumedFrom()) {
      throw otherBatches("the log has more batches of this producer than the file");
    }
    stream.finish();
  }

  /** What each batch says of itself: how many of the file's rows there are up to its end. */
  private static String rowsToken(long through) {
    return "rows:" + through;
  }

  private static void requireSameBatches(ProducerStream stream, long through) {
    String token = stream.token();
    if (token != null && !token.equals(rowsToken(through))) {
      throw otherBatches(
          "the log has %s of this producer, the file's first %d batches have %s"
              .formatted(token, stream.resumedFrom(), rowsToken(through)));
    }
  }

  private static WingsException otherBatches(String what) {
    return WingsException.invalid(
        "producer-mismatch",
        what + ": use the --batch-rows of the earlier run, or another --producer to load it again");
  }

  private void report(Path file, String as, Progress progress) {
    PrintWriter out = spec.commandLine().getOut();
    if (json) {
      ObjectNode line =
          WingsClient.JSON
              .createObjectNode()
              .put("file", file.toString())
              .put("table", table)
              .put("producer", as)
              .put("rows", progress.rows())
              .put("rows_stored_before", progress.rowsSkipped());
      out.println(line);
    } else {
      out.printf(
          "%s: %,d rows durable in %s, %,d of them from before (producer %s)%n",
          file, progress.rows() + progress.rowsSkipped(), table, progress.rowsSkipped(), as);
    }
    out.flush();
  }

  /** A name that the same file gets again: of its content. */
  static String fingerprint(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      MessageDigest digest = MessageDigest.getInstance("SHA-256");
      byte[] part = new byte[PART_BYTES];
      for (int read = in.read(part); read >= 0; read = in.read(part)) {
        digest.update(part, 0, read);
      }
      return HexFormat.of().formatHex(digest.digest(), 0, 12);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }

  /** Rows sent and acknowledged of one file, on the console while it is a terminal. */
  private static final class Progress {
    private final Path file;
    private final Console console;
    private final AtomicLong acknowledgedBatches = new AtomicLong();
    private long rows;
    private long skipped;
    private long batches;

    Progress(Path file, Console console) {
      this.file = file;
      this.console = console;
    }

    void skipped(int count) {
      skipped += count;
      batches++;
    }

    void sent(int count) {
      rows += count;
      batches++;
      show();
    }

    void acknowledged(long through) {
      acknowledgedBatches.accumulateAndGet(through, Math::max);
      show();
    }

    void done() {
      console.clearProgress();
    }

    long rows() {
      return rows;
    }

    long rowsSkipped() {
      return skipped;
    }

    private void show() {
      console.progress(
          "%s: %,d rows sent, %d of %d batches durable"
              .formatted(file.getFileName(), rows, acknowledgedBatches.get(), batches));
    }
  }
}
