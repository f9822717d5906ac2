package io.wings.ingestor.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.catalog.table.ArrowSchemas;
import io.wings.common.error.WingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.arrow.vector.types.DateUnit;
import org.apache.arrow.vector.types.FloatingPointPrecision;
import org.apache.arrow.vector.types.IntervalUnit;
import org.apache.arrow.vector.types.TimeUnit;
import org.apache.arrow.vector.types.UnionMode;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.DictionaryEncoding;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;
import org.apache.iceberg.types.Type;
import org.junit.jupiter.api.Test;

/** The clients' guide says of every Arrow type what the code makes of it. */
class TypeTableTest {
  private static final Path GUIDE = Path.of("").toAbsolutePath().resolveSibling("docs/clients.md");
  private static final Pattern NAME = Pattern.compile("`([^`]+)`");
  private static final Field INT = Field.nullable("item", new ArrowType.Int(32, true));

  /** What the guide calls each type, and what becomes of it; null: refused. */
  private static final Map<String, Field> TAKEN = new LinkedHashMap<>();

  private static final Map<String, Field> REFUSED = new LinkedHashMap<>();

  static {
    taken("bool", new ArrowType.Bool());
    for (int bits : new int[] {8, 16, 32, 64}) {
      taken("int" + bits, new ArrowType.Int(bits, true));
      taken("uint" + bits, new ArrowType.Int(bits, false));
    }
    taken("float16", new ArrowType.FloatingPoint(FloatingPointPrecision.HALF));
    taken("float32", new ArrowType.FloatingPoint(FloatingPointPrecision.SINGLE));
    taken("float64", new ArrowType.FloatingPoint(FloatingPointPrecision.DOUBLE));
    for (int bits : new int[] {32, 64, 128, 256}) {
      taken("decimal" + bits + "(p, s)", new ArrowType.Decimal(9, 2, bits));
    }
    taken("date32", new ArrowType.Date(DateUnit.DAY));
    taken("date64", new ArrowType.Date(DateUnit.MILLISECOND));
    taken("time32[s]", new ArrowType.Time(TimeUnit.SECOND, 32));
    taken("time32[ms]", new ArrowType.Time(TimeUnit.MILLISECOND, 32));
    taken("time64[us]", new ArrowType.Time(TimeUnit.MICROSECOND, 64));
    Map.of(
            "s", TimeUnit.SECOND,
            "ms", TimeUnit.MILLISECOND,
            "us", TimeUnit.MICROSECOND,
            "ns", TimeUnit.NANOSECOND)
        .forEach(
            (unit, of) -> {
              taken("timestamp[" + unit + "]", new ArrowType.Timestamp(of, null));
              taken("timestamp[" + unit + ", tz]", new ArrowType.Timestamp(of, "Asia/Tokyo"));
            });
    taken("utf8", new ArrowType.Utf8());
    taken("large_utf8", new ArrowType.LargeUtf8());
    taken("utf8_view", new ArrowType.Utf8View());
    taken("binary", new ArrowType.Binary());
    taken("large_binary", new ArrowType.LargeBinary());
    taken("binary_view", new ArrowType.BinaryView());
    taken("fixed_size_binary[n]", new ArrowType.FixedSizeBinary(7));
    TAKEN.put(
        "fixed_size_binary[16]",
        new Field(
            "c",
            new FieldType(
                true,
                new ArrowType.FixedSizeBinary(16),
                null,
                Map.of("ARROW:extension:name", "arrow.uuid")),
            List.of()));
    nested("list", new ArrowType.List(), INT);
    nested("large_list", new ArrowType.LargeList(), INT);
    nested("fixed_size_list", new ArrowType.FixedSizeList(3), INT);
    nested("list_view", new ArrowType.ListView(), INT);
    nested("large_list_view", new ArrowType.LargeListView(), INT);
    nested(
        "map", new ArrowType.Map(false), entries(Field.notNullable("key", new ArrowType.Utf8())));
    nested("struct", new ArrowType.Struct(), INT);
    nested(
        "run_end_encoded",
        new ArrowType.RunEndEncoded(),
        Field.notNullable("run_ends", new ArrowType.Int(32, true)),
        Field.nullable("values", new ArrowType.Utf8()));
    TAKEN.put(
        "dictionary",
        new Field(
            "c",
            new FieldType(
                true,
                new ArrowType.Utf8(),
                new DictionaryEncoding(1, false, new ArrowType.Int(8, true))),
            List.of()));
    taken("null", new ArrowType.Null());

    refused("decimal256(p, s)", new ArrowType.Decimal(39, 2, 256));
    refused("time64[ns]", new ArrowType.Time(TimeUnit.NANOSECOND, 64));
    refused("duration", new ArrowType.Duration(TimeUnit.MICROSECOND));
    refused("interval", new ArrowType.Interval(IntervalUnit.MONTH_DAY_NANO));
    REFUSED.put(
        "union",
        new Field(
            "c",
            FieldType.nullable(new ArrowType.Union(UnionMode.Sparse, new int[] {0})),
            List.of(INT)));
    refused("struct", new ArrowType.Struct());
    REFUSED.put(
        "map",
        new Field(
            "c",
            FieldType.nullable(new ArrowType.Map(false)),
            List.of(entries(Field.notNullable("key", new ArrowType.Null())))));
  }

  private static void taken(String name, ArrowType type) {
    TAKEN.put(name, Field.nullable("c", type));
  }

  private static void nested(String name, ArrowType type, Field... children) {
    TAKEN.put(name, new Field("c", FieldType.nullable(type), List.of(children)));
  }

  private static void refused(String name, ArrowType type) {
    REFUSED.put(name, Field.nullable("c", type));
  }

  private static Field entries(Field key) {
    return new Field(
        "entries",
        FieldType.notNullable(new ArrowType.Struct()),
        List.of(key, Field.nullable("value", new ArrowType.Int(32, true))));
  }

  /** A row of the table: the names on its left, the text on its right. */
  private record Row(List<String> names, String becomes) {}

  private static List<Row> guide() throws IOException {
    String types = Files.readString(GUIDE).split("\\n## Types\\n", 2)[1].split("\\n## ", 2)[0];
    return types
        .lines()
        .filter(line -> line.startsWith("| `"))
        .map(line -> line.split("\\|"))
        .map(
            cells ->
                new Row(
                    NAME.matcher(cells[1]).results().map(name -> name.group(1)).toList(),
                    cells[2].strip()))
        .toList();
  }

  private static Type iceberg(Field field) {
    Schema read =
        SchemaMessages.read(new Schema(List.of(field)).serializeAsMessage(), Decoded.LIMITS);
    return ArrowSchemas.toIceberg(read).columns().getFirst().type();
  }

  @Test
  void theGuideSaysWhatBecomesOfEveryTypeThatIsTaken() throws IOException {
    Set<String> told = new TreeSet<>();
    for (Row row : guide()) {
      if (!row.becomes().equals("refused")) {
        for (String name : row.names()) {
          Field field = TAKEN.get(name);
          if (field != null) {
            told.add(name);
            assertEquals(row.becomes(), said(name, iceberg(field)), name);
          }
        }
      }
    }
    assertEquals(new TreeSet<>(TAKEN.keySet()), told);
  }

  /** As the guide's right column says it. */
  private static String said(String name, Type type) {
    return switch (name) {
      case "dictionary", "run_end_encoded" -> {
        assertEquals("string", type.toString());
        yield "the type of their values";
      }
      case "null" -> "`" + type + "`, optional";
      case String n when n.startsWith("decimal") -> {
        assertEquals("decimal(9, 2)", type.toString());
        yield "`decimal(p, s)`";
      }
      case "fixed_size_binary[n]" -> {
        assertEquals("fixed[7]", type.toString());
        yield "`fixed[n]`";
      }
      default ->
          "`"
              + (type.isNestedType()
                  ? type.typeId().name().toLowerCase(java.util.Locale.ROOT)
                  : type)
              + "`";
    };
  }

  @Test
  void theGuideTellsEveryTypeThatIsRefused() throws IOException {
    Set<String> told = new TreeSet<>();
    for (Row row : guide()) {
      if (row.becomes().equals("refused")) {
        told.addAll(row.names());
      }
    }
    told.remove("null");
    assertEquals(new TreeSet<>(REFUSED.keySet()), told);
    REFUSED.forEach(
        (name, field) -> {
          WingsException error = assertThrows(WingsException.class, () -> iceberg(field), name);
          assertTrue(Set.of("type-unsupported", "schema-invalid").contains(error.code()), name);
        });
  }

  @Test
  void noTypeOfArrowIsLeftOut() {
    Set<ArrowType.ArrowTypeID> told =
        Stream.concat(TAKEN.values().stream(), REFUSED.values().stream())
            .map(field -> field.getType().getTypeID())
            .collect(Collectors.toCollection(() -> EnumSet.noneOf(ArrowType.ArrowTypeID.class)));
    Set<ArrowType.ArrowTypeID> all =
        Arrays.stream(ArrowType.ArrowTypeID.values())
            .filter(id -> id != ArrowType.ArrowTypeID.NONE)
            .collect(Collectors.toSet());
    assertEquals(all, told);
  }
}
