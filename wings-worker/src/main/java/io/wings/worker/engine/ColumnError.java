package io.wings.worker.engine;

import io.wings.common.error.WingsException;
import org.apache.arrow.vector.types.pojo.ArrowType;
import org.apache.iceberg.transforms.Transform;
import org.apache.iceberg.types.Type;

/** Why a batch can't become rows of the table; each names the column, never its data. */
final class ColumnError {
  private ColumnError() {}

  static WingsException batch(String what) {
    return WingsException.invalid("batch-invalid", what);
  }

  static WingsException missing(String column, String why) {
    return WingsException.invalid(
        "column-missing", "required column " + column + " has no value in the batch: " + why);
  }

  static WingsException type(String column, ArrowType got, Type expected) {
    return WingsException.invalid(
        "column-type",
        "column "
            + column
            + ": expected values of "
            + expected
            + " or what Iceberg widens to it, got Arrow "
            + got);
  }

  static WingsException isNull(String column, int slot) {
    return WingsException.invalid(
        "column-null", "required column " + column + " is null in value " + slot + " of the batch");
  }

  static WingsException value(String column, int slot, String why) {
    return WingsException.invalid(
        "column-value", "column " + column + ": value " + slot + " of the batch " + why);
  }

  static WingsException partition(String column, int slot, Transform<?, ?> transform, Type type) {
    return WingsException.invalid(
        "partition-value-invalid",
        "column %s: the partition transform %s of value %d of the batch gives more digits than %s holds; with another partition spec (ALTER TABLE … DROP PARTITION FIELD) the table goes on"
            .formatted(column, transform, slot, type));
  }
}
