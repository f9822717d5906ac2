package io.wings.ingestor.action;

import com.google.protobuf.ByteString;
import io.wings.common.flight.ListDemand;
import io.wings.common.flight.TableName;
import io.wings.ingestor.table.TableAdmin;
import io.wings.ingestor.table.TableLists;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;

/** Answers Flight's look-ups: which tables there are, and what batches for them look like. */
public final class Lookups {
  /** What Flight means by "not known". */
  private static final long UNKNOWN = -1;

  private final TableAdmin admin;
  private final TableLists lists;

  public Lookups(TableAdmin admin, TableLists lists) {
    this.admin = admin;
    this.lists = lists;
  }

  /** The schema that batches of the table are held against. */
  public Flight.SchemaResult schema(TableName name) {
    return Flight.SchemaResult.newBuilder().setSchema(schemaOf(name)).build();
  }

  /** The table with its schema; without endpoints, since Wings serves no reads. */
  public Flight.FlightInfo info(TableName name) {
    return entry(name).setSchema(schemaOf(name)).build();
  }

  /** The tables there are; without schemas, which would have to be loaded one by one. */
  public List<Flight.FlightInfo> list(ListDemand demand) {
    return lists.list(demand).stream().map(name -> entry(name).build()).toList();
  }

  private ByteString schemaOf(TableName name) {
    return ByteString.copyFrom(admin.describe(name).schema().serializeAsMessage());
  }

  private static Flight.FlightInfo.Builder entry(TableName name) {
    return Flight.FlightInfo.newBuilder()
        .setFlightDescriptor(
            Flight.FlightDescriptor.newBuilder()
                .setType(Flight.FlightDescriptor.DescriptorType.PATH)
                .addPath(name.catalog().value())
                .addAllPath(name.namespace())
                .addPath(name.table()))
        .setTotalRecords(UNKNOWN)
        .setTotalBytes(UNKNOWN);
  }
}
