package io.wings.common.flight;

import com.google.protobuf.InvalidProtocolBufferException;
import io.grpc.Drainable;
import io.grpc.KnownLength;
import io.grpc.MethodDescriptor;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import org.apache.arrow.flight.impl.Flight;
import org.jspecify.annotations.Nullable;

/**
 * One message of a Flight data stream ({@code FlightData}) as the bytes that came off the wire and
 * where its fields lie in them. Bodies are neither copied nor looked into; what is forwarded is
 * what was received, except for a descriptor that was replaced.
 *
 * <p>Immutable. A frame that is no well-formed {@code FlightData}, or that carries a field twice
 * (readers would disagree on which counts), exists, so that a stream can be refused with a reason;
 * every accessor of it throws {@code frame-invalid}.
 */
public final class FlightFrame {
  private static final int DESCRIPTOR = 1;
  private static final int HEADER = 2;
  private static final int APP_METADATA = 3;
  private static final int BODY = 1000;

  private static final int DESCRIPTOR_TAG = DESCRIPTOR << 3 | ProtobufFields.LENGTH_DELIMITED;

  private final byte[] bytes;
  private final @Nullable String fault;
  private final Range descriptorField;
  private final Range descriptor;
  private final Range header;
  private final Range appMetadata;
  private final Range body;

  /** The canonical descriptor that takes the place of the one in {@link #bytes}. */
  private final byte @Nullable [] replacement;

  /**
   * A stretch of {@link #bytes}; an absent field is {@link #NONE}, which no present one can be.
   *
   * @param start inclusive
   * @param end exclusive
   */
  private record Range(int start, int end) {
    static final Range NONE = new Range(0, 0);

    int length() {
      return end - start;
    }
  }

  /**
   * @param bytes one serialised {@code FlightData}, owned by the frame from now on
   */
  public FlightFrame(byte[] bytes) {
    Range descriptorField = Range.NONE;
    Range[] found = {Range.NONE, Range.NONE, Range.NONE, Range.NONE};
    String fault = null;
    try {
      ProtobufFields fields = new ProtobufFields(bytes);
      while (fields.next()) {
        int slot = slot(fields.number());
        if (slot < 0) {
          continue;
        }
        if (fields.wireType() != ProtobufFields.LENGTH_DELIMITED) {
          throw fields.malformed("field " + fields.number() + " is not length-delimited");
        }
        if (!found[slot].equals(Range.NONE)) {
          throw fields.malformed("field " + fields.number() + " appears twice");
        }
        found[slot] = new Range(fields.valueStart(), fields.valueEnd());
        if (fields.number() == DESCRIPTOR) {
          descriptorField = new Range(fields.fieldStart(), fields.valueEnd());
        }
      }
    } catch (ProtobufFields.MalformedException e) {
      fault = e.getMessage();
    }
    this.bytes = bytes;
    this.fault = fault;
    this.descriptorField = descriptorField;
    this.descriptor = found[0];
    this.header = found[1];
    this.appMetadata = found[2];
    this.body = found[3];
    this.replacement = null;
  }

  private FlightFrame(FlightFrame frame, byte[] descriptor) {
    this.bytes = frame.bytes;
    this.fault = frame.fault;
    this.descriptorField = frame.descriptorField;
    this.descriptor = frame.descriptor;
    this.header = frame.header;
    this.appMetadata = frame.appMetadata;
    this.body = frame.body;
    this.replacement = descriptor;
  }

  private static int slot(int field) {
    return switch (field) {
      case DESCRIPTOR -> 0;
      case HEADER -> 1;
      case APP_METADATA -> 2;
      case BODY -> 3;
      default -> -1;
    };
  }

  /**
   * Itself, if it is a well-formed {@code FlightData}.
   *
   * @throws WingsException {@code frame-invalid}
   */
  public FlightFrame requireWellFormed() {
    if (fault != null) {
      throw WingsException.invalid("frame-invalid", "a message is no FlightData: " + fault);
    }
    return this;
  }

  /** Whether the frame carries a descriptor, as the first one of a stream must. */
  public boolean hasDescriptor() {
    requireWellFormed();
    return replacement != null || !descriptorField.equals(Range.NONE);
  }

  /** The descriptor, or null where there is none. */
  public Flight.@Nullable FlightDescriptor descriptor() {
    if (!hasDescriptor()) {
      return null;
    }
    ByteBuffer serialised = replacement != null ? ByteBuffer.wrap(replacement) : slice(descriptor);
    try {
      return Flight.FlightDescriptor.parseFrom(serialised);
    } catch (InvalidProtocolBufferException e) {
      throw new WingsException(
          ErrorKind.INVALID,
          "frame-invalid",
          "the descriptor is no FlightDescriptor: " + e.getMessage(),
          e);
    }
  }

  /** The IPC message's flatbuffer ({@code data_header}), read-only; empty where there is none. */
  public ByteBuffer header() {
    return slice(header);
  }

  /** {@code app_metadata}, read-only; empty where there is none. */
  public ByteBuffer appMetadata() {
    return slice(appMetadata);
  }

  /** The IPC message's body ({@code data_body}), read-only; empty where there is none. */
  public ByteBuffer body() {
    return slice(body);
  }

  private ByteBuffer slice(Range range) {
    requireWellFormed();
    return ByteBuffer.wrap(bytes, range.start, range.length()).slice().asReadOnlyBuffer();
  }

  /** The same frame with {@code descriptor} in place of its own. */
  public FlightFrame withDescriptor(Flight.FlightDescriptor descriptor) {
    requireWellFormed();
    return new FlightFrame(this, descriptor.toByteArray());
  }

  /** Bytes that it takes on the wire, framing aside. */
  public int size() {
    if (replacement == null) {
      return bytes.length;
    }
    return prefix(replacement).length
        + replacement.length
        + bytes.length
        - descriptorField.length();
  }

  private static byte[] prefix(byte[] descriptor) {
    return ProtobufFields.lengthPrefix(DESCRIPTOR_TAG, descriptor.length);
  }

  /** Writes the serialised {@code FlightData}. */
  void writeTo(OutputStream out) throws IOException {
    if (replacement == null) {
      out.write(bytes);
      return;
    }
    out.write(prefix(replacement));
    out.write(replacement);
    out.write(bytes, 0, descriptorField.start);
    out.write(bytes, descriptorField.end, bytes.length - descriptorField.end);
  }

  /** Reads frames from, and writes them to, gRPC's transport. */
  enum Marshaller implements MethodDescriptor.Marshaller<FlightFrame> {
    INSTANCE;

    @Override
    public InputStream stream(FlightFrame frame) {
      return frame.replacement == null
          ? new ByteArrayInputStream(frame.bytes)
          : new Serialised(frame);
    }

    /** The transport has limited the size already. */
    @Override
    public FlightFrame parse(InputStream stream) {
      try {
        if (stream instanceof KnownLength) {
          return new FlightFrame(stream.readNBytes(stream.available()));
        }
        return new FlightFrame(stream.readAllBytes());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** What gRPC wants of a message: its length, and that it writes itself. */
  private static final class Serialised extends InputStream implements Drainable, KnownLength {
    private final FlightFrame frame;
    private @Nullable InputStream reading;
    private boolean drained;

    Serialised(FlightFrame frame) {
      this.frame = frame;
    }

    @Override
    public int drainTo(OutputStream target) throws IOException {
      if (drained || reading != null) {
        throw new IOException("a frame is written once");
      }
      drained = true;
      frame.writeTo(target);
      return frame.size();
    }

    @Override
    public int available() throws IOException {
      if (reading != null) {
        return reading.available();
      }
      return drained ? 0 : frame.size();
    }

    @Override
    public int read() throws IOException {
      return drained ? -1 : reading().read();
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return drained ? -1 : reading().read(target, offset, length);
    }

    private InputStream reading() throws IOException {
      InputStream stream = reading;
      if (stream == null) {
        ByteArrayOutputStream copy = new ByteArrayOutputStream(frame.size());
        frame.writeTo(copy);
        stream = new ByteArrayInputStream(copy.toByteArray());
        reading = stream;
      }
      return stream;
    }
  }
}
