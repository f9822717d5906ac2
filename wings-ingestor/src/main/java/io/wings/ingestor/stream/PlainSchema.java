package io.wings.ingestor.stream;

import java.util.List;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.arrow.vector.types.pojo.Field;
import org.apache.arrow.vector.types.pojo.FieldType;
import org.apache.arrow.vector.types.pojo.Schema;

/** The schema of what {@link ColumnReader} makes of a stream's columns. */
final class PlainSchema {
  private PlainSchema() {}

  static Schema of(List<Field> fields) {
    return new Schema(fields.stream().map(PlainSchema::of).toList());
  }

  static Field of(Field field) {
    if (field.getType() instanceof ArrowType.RunEndEncoded) {
      Field values = of(field.getChildren().get(1));
      return new Field(
          field.getName(),
          new FieldType(field.isNullable(), values.getType(), null, field.getMetadata()),
          values.getChildren());
    }
    ArrowType type =
        switch (field.getType()) {
          case ArrowType.LargeUtf8 _, ArrowType.Utf8View _ -> ArrowType.Utf8.INSTANCE;
          case ArrowType.LargeBinary _, ArrowType.BinaryView _ -> ArrowType.Binary.INSTANCE;
          case ArrowType.LargeList _,
              ArrowType.ListView _,
              ArrowType.LargeListView _,
              ArrowType.FixedSizeList _ ->
              ArrowType.List.INSTANCE;
          default -> field.getType();
        };
    return new Field(
        field.getName(),
        new FieldType(field.isNullable(), type, null, field.getMetadata()),
        field.getChildren().stream().map(PlainSchema::of).toList());
  }
}
