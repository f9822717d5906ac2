package io.wings.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostPortTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "localhost:8815",
        "broker-0.wings:1",
        "10.0.0.7:65535",
        "[::1]:8815",
        "[fe80::1%eth0]:9"
      })
  void readsAndPrintsAnAddress(String text) {
    HostPort address = HostPort.parse(text);
    assertEquals(text, address.toString());
    assertEquals(address, address.requireDialable("the address"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "host",
        "host:",
        ":8815",
        "host:65536",
        "host:-1",
        "::1:8815",
        "a b:1",
        "http://x:1",
        "h:1/"
      })
  void refusesWhatIsNoAddress(String text) {
    WingsException error = assertThrows(WingsException.class, () -> HostPort.parse(text));
    assertEquals("invalid-address", error.code());
  }

  /** Trap 23: an address that others can't reach is published. */
  @ParameterizedTest
  @ValueSource(
      strings = {"0.0.0.0:8815", "[::]:8815", "*:8815", "[0:0:0:0:0:0:0:0]:8815", "host:0"})
  void refusesToPublishAnAddressThatNobodyCanDial(String text) {
    HostPort address = HostPort.parse(text);
    WingsException error =
        assertThrows(WingsException.class, () -> address.requireDialable("advertised address"));
    assertEquals("unreachable-address", error.code());
    assertTrue(error.toString().contains("advertised address"), error.toString());
  }
}
