package io.wings.common.flight;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.ByteString;
import io.wings.common.error.ErrorKind;
import io.wings.common.error.WingsException;
import io.wings.common.wal.Operation;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.arrow.flight.impl.Flight;
import org.apache.arrow.flight.impl.Flight.FlightDescriptor.DescriptorType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ClientRequestTest {
  private static final String TABLE =
      "\"catalog\":\"main\",\"namespace\":[\"web\"],\"table\":\"t\"";

  private static Flight.FlightDescriptor path(String... path) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(DescriptorType.PATH)
        .addAllPath(List.of(path))
        .build();
  }

  private static Flight.FlightDescriptor cmd(String json) {
    return Flight.FlightDescriptor.newBuilder()
        .setType(DescriptorType.CMD)
        .setCmd(ByteString.copyFromUtf8(json))
        .build();
  }

  private static WingsException refused(Flight.FlightDescriptor descriptor) {
    return assertThrows(WingsException.class, () -> ClientRequest.of(descriptor));
  }

  @Test
  void readsPath() {
    ClientRequest request = ClientRequest.of(path("main", "web", "raw", "clicks"));
    assertEquals("main", request.catalog().value());
    assertEquals(List.of("web", "raw"), request.namespace());
    assertEquals("clicks", request.table());
    assertNull(request.producer());
    assertEquals(Operation.INSERT, request.operation());
    assertEquals(Create.NEVER, request.create());
    assertEquals(OnReject.FAIL, request.onReject());
    assertEquals(Ack.DURABLE, request.ack());
  }

  @Test
  void readsEveryKeyOfTheCommand() {
    ClientRequest request =
        ClientRequest.of(
            cmd(
                "{"
                    + TABLE
                    + ",\"producer\":\"etl-1\",\"epoch\":12,\"partition\":\"p\","
                    + "\"operation\":\"upsert\",\"create\":\"if-missing\","
                    + "\"on_reject\":\"report\",\"ack\":\"durable\"}"));
    assertEquals("etl-1", request.producer());
    assertEquals(12L, request.epoch());
    assertEquals("p", request.partition());
    assertEquals(Operation.UPSERT, request.operation());
    assertEquals(Create.IF_MISSING, request.create());
    assertEquals(OnReject.REPORT, request.onReject());
  }

  @Test
  void nullIsAbsent() {
    ClientRequest request = ClientRequest.of(cmd("{" + TABLE + ",\"producer\":null,\"ack\":null}"));
    assertNull(request.producer());
    assertEquals(Ack.DURABLE, request.ack());
  }

  /** Trap 25: a misspelt setting is ignored. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "\"on_rejct\":\"fail\" | did you mean 'on_reject'?",
        "\"onReject\":\"fail\" | did you mean 'on_reject'?",
        "\"create\":\"if_missing\" | did you mean 'if-missing'?",
        "\"operation\":\"Insert\" | did you mean 'insert'?",
        "\"operation\":\"merge\" | known are delete, insert, upsert",
        "\"ack\":\"eventually\" | known are durable, visible",
        "\"operation\":0 | 'operation'",
        "\"epoch\":\"5\" | 'epoch' in the cmd: expected an integer",
        "\"epoch\":5.0 | 'epoch' in the cmd: expected an integer",
        "\"epoch\":true | 'epoch' in the cmd: expected an integer",
        "\"epoch\":99999999999999999999 | 'epoch'",
        "\"producer\":7 | 'producer' in the cmd: expected a string",
        "\"producer\":{} | 'producer' in the cmd: expected a string",
        "\"partition\":\"\" | 'partition' has 1 to",
        "\"producer\":\"a\" | producer-state",
        "\"epoch\":3 | without 'producer'",
        "\"producer\":\"a\",\"epoch\":0 | at least 1",
        "\"producer\":\"a\\u0000b\",\"epoch\":1 | control characters",
        "\"producer\":\"a\\ud800\",\"epoch\":1 | control characters",
        "\"table\":\"u\" | Duplicate",
      })
  void refusesWhatItDoesNotKnow(String field, String said) {
    WingsException e = refused(cmd("{" + TABLE + "," + field + "}"));
    assertEquals(ErrorKind.INVALID, e.kind());
    String message = String.valueOf(e.getMessage());
    assertTrue(message.contains(said), message);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "null",
        "[]",
        "7",
        "{",
        "{}",
        "{\"catalog\":\"main\",\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[],\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":\"web\",\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[\"\"],\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[null],\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[\"a\\nb\"],\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[\"a\"],\"table\":\"\"}",
        "{\"catalog\":\"Main\",\"namespace\":[\"a\"],\"table\":\"t\"}",
        "{\"catalog\":\"../x\",\"namespace\":[\"a\"],\"table\":\"t\"}",
        "{\"catalog\":7,\"namespace\":[\"a\"],\"table\":\"t\"}",
        "{" + TABLE + "} {}",
        "{" + TABLE + "}x",
        "{\"catalog\":\"main\",'namespace':[\"a\"],\"table\":\"t\"}",
        "{\"catalog\":\"main\",\"namespace\":[[[[]]]],\"table\":\"t\"}",
      })
  void refusesCommandsThatAreNoRequest(String json) {
    WingsException e = refused(cmd(json));
    assertEquals(ErrorKind.INVALID, e.kind(), e.getMessage());
  }

  @Test
  void neverRepeatsControlCharactersOrMuchOfTheInput() {
    WingsException e = refused(cmd("{" + TABLE + ",\"" + "x".repeat(5000) + "\":1}"));
    assertTrue(String.valueOf(e.getMessage()).length() < 1000);
    e = refused(cmd("{" + TABLE + ",\"a\\u001b[31m\":1}"));
    assertTrue(String.valueOf(e.getMessage()).chars().noneMatch(c -> c == 0x1b));
  }

  @Test
  void refusesPathAndCommandTogether() {
    Flight.FlightDescriptor both =
        path("main", "web", "t").toBuilder().setCmd(ByteString.copyFromUtf8("{}")).build();
    assertEquals("descriptor-ambiguous", refused(both).code());
    Flight.FlightDescriptor other = both.toBuilder().setType(DescriptorType.CMD).build();
    assertEquals("descriptor-ambiguous", refused(other).code());
  }

  @Test
  void refusesOtherTypesAndShortPaths() {
    assertEquals(
        "descriptor-invalid", refused(Flight.FlightDescriptor.getDefaultInstance()).code());
    assertEquals(
        "descriptor-invalid",
        refused(path("a", "b", "c").toBuilder().setTypeValue(9).build()).code());
    assertEquals("descriptor-invalid", refused(path("main", "t")).code());
  }

  @Test
  void refusesHugeCommandUnread() {
    assertEquals(
        "descriptor-invalid",
        refused(cmd("{" + " ".repeat(ClientRequest.MAX_COMMAND_BYTES) + "}")).code());
  }

  @Test
  void refusesDeepCommand() {
    WingsException e = refused(cmd("{\"namespace\":" + "[".repeat(10_000)));
    assertEquals("request-invalid", e.code());
  }

  @Test
  void saysThatFlightSqlIsNotTakenYet() {
    byte[] type =
        "type.googleapis.com/arrow.flight.protocol.sql.CommandStatementIngest"
            .getBytes(StandardCharsets.UTF_8);
    ByteArrayOutputStream any = new ByteArrayOutputStream();
    any.writeBytes(new byte[] {0x0a, (byte) type.length});
    any.writeBytes(type);
    Flight.FlightDescriptor descriptor =
        Flight.FlightDescriptor.newBuilder()
            .setType(DescriptorType.CMD)
            .setCmd(ByteString.copyFrom(any.toByteArray()))
            .build();
    WingsException e = refused(descriptor);
    assertEquals(ErrorKind.UNSUPPORTED, e.kind());
    assertEquals("flight-sql-unsupported", e.code());
  }

  @Test
  void lookupsTakeATableAndNothingElse() {
    assertEquals("main.web.t", ClientRequest.lookup(path("main", "web", "t")).toString());
    TableName name = ClientRequest.lookup(cmd("{" + TABLE + "}"));
    assertEquals(name, ClientRequest.lookup(name.toDescriptor()));
    assertThrows(
        WingsException.class,
        () -> ClientRequest.lookup(cmd("{" + TABLE + ",\"create\":\"if-missing\"}")));
  }
}
