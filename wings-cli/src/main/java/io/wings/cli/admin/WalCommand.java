package io.wings.cli.admin;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.cli.StoreArguments;
import io.wings.common.cluster.CatalogName;
import io.wings.common.cluster.ClusterFile;
import io.wings.common.cluster.Keys;
import io.wings.common.cluster.LaneId;
import io.wings.common.cluster.TableId;
import io.wings.common.error.WingsException;
import io.wings.common.id.Ids;
import io.wings.common.objectstore.ObjectHead;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.time.Time;
import io.wings.common.wal.BatchCursor;
import io.wings.common.wal.SegmentFooter;
import io.wings.common.wal.SegmentReader;
import java.io.PrintWriter;
import java.util.Iterator;
import java.util.Locale;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code wings wal …}: what the log holds, read straight from the store. */
@Command(
    name = "wal",
    mixinStandardHelpOptions = true,
    description = "Lists and prints segments of the write-ahead log.",
    synopsisSubcommandLabel = "COMMAND")
public final class WalCommand {
  private static final Pattern SEGMENT =
      Pattern.compile(
          "catalogs/(?<catalog>[^/]+)/tables/(?<uuid>[^/]+)/(?<incarnation>[0-9a-f]{32})"
              + "/(?<lane>\\d{2})/(?<number>\\d{20})\\.wal");
  private static final ObjectMapper JSON = new ObjectMapper();

  @Spec private CommandSpec spec = CommandSpec.create();

  /** A segment's place. */
  private record Place(LaneId lane, long number) {
    static @Nullable Place of(String key) {
      Matcher matcher = SEGMENT.matcher(key);
      if (!matcher.matches()) {
        return null;
      }
      TableId table =
          new TableId(
              new CatalogName(matcher.group("catalog")), UUID.fromString(matcher.group("uuid")));
      return new Place(
          new LaneId(table, matcher.group("incarnation"), Integer.parseInt(matcher.group("lane"))),
          Long.parseLong(matcher.group("number")));
    }
  }

  @Command(
      name = "list",
      mixinStandardHelpOptions = true,
      description = "Lists segments, lane by lane: key, lane, batches, rows, bytes, writer.")
  int list(
      @Mixin StoreArguments arguments,
      @Option(
              names = "--prefix",
              defaultValue = "",
              paramLabel = "KEY",
              description = "Below catalogs/: {catalog}/tables/{uuid}/{incarnation}/{lane}.")
          String prefix,
      @Option(names = "--json", description = "Print one JSON object a line.") boolean json) {
    PrintWriter out = spec.commandLine().getOut();
    try (ObjectStore store = arguments.open()) {
      ClusterFile _ =
          ClusterFile.required(store, ClusterFile.read(store, Time.system(), Ids.secure()));
      SegmentReader reader = new SegmentReader(store);
      Iterator<ObjectHead> objects = store.list(Keys.CATALOGS + prefix, "");
      while (objects.hasNext()) {
        ObjectHead object = objects.next();
        Place place = Place.of(object.key());
        if (place != null) {
          reader
              .footer(place.lane(), place.number())
              .ifPresent(
                  footer ->
                      out.println(
                          json ? line(object, place, footer) : text(object, place, footer)));
        }
      }
    }
    return 0;
  }

  @Command(
      name = "cat",
      mixinStandardHelpOptions = true,
      description = "Prints a segment's footer, and its rows with --rows.")
  int cat(
      @Mixin StoreArguments arguments,
      @Parameters(paramLabel = "KEY", description = "As `wings wal list` shows it.") String key,
      @Option(names = "--rows", description = "Print the rows as well, tab-separated.")
          boolean rows,
      @Option(
              names = "--json",
              description =
                  "Print JSON objects, one a line: the footer, its entries, its checkpoint, rows.")
          boolean json) {
    Place place = Place.of(key);
    if (place == null) {
      throw WingsException.invalid(
          "segment-key-invalid",
          "expected a key as `wings wal list` shows it, got \"" + key + "\"");
    }
    PrintWriter out = spec.commandLine().getOut();
    try (ObjectStore store = arguments.open();
        BufferAllocator allocator = new RootAllocator()) {
      SegmentReader reader = new SegmentReader(store);
      SegmentFooter footer =
          reader
              .footer(place.lane(), place.number())
              .orElseThrow(
                  () -> WingsException.notFound("segment-not-found", "no segment at " + key));
      if (json) {
        SegmentJson.lines(footer).forEach(out::println);
      } else {
        out.printf(
            Locale.ROOT,
            "lane %d, number %d, written %s by %s%n",
            place.lane().lane(),
            place.number(),
            footer.written(),
            footer.ingestor());
        footer.entries().forEach(out::println);
        if (footer.checkpoint() != null) {
          out.println(footer.checkpoint());
        }
      }
      if (rows) {
        try (BatchCursor cursor = reader.batches(place.lane(), footer, allocator)) {
          while (cursor.next()) {
            if (json) {
              SegmentJson.rows(cursor.root()).forEach(out::println);
            } else {
              out.print(cursor.root().contentToTSVString());
            }
          }
        }
        out.flush();
      }
    }
    return 0;
  }

  private static ObjectNode line(ObjectHead object, Place place, SegmentFooter footer) {
    return JSON.createObjectNode()
        .put("key", object.key())
        .put("lane", place.lane().lane())
        .put("number", footer.number())
        .put("bytes", object.size())
        .put("batches", footer.batches().size())
        .put("rows", footer.rows())
        .put("checkpoint", footer.checkpoint() != null)
        .put("ingestor", footer.ingestor())
        .put("written", footer.written().toString());
  }

  private static String text(ObjectHead object, Place place, SegmentFooter footer) {
    return String.format(
        Locale.ROOT,
        "%s  lane %d, %,d batches, %,d rows, %,d bytes, %s by %s",
        object.key(),
        place.lane().lane(),
        footer.batches().size(),
        footer.rows(),
        object.size(),
        footer.written(),
        footer.ingestor());
  }
}
