package io.wings.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.JoranException;
import io.wings.common.grant.Audit;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;

class LogLevelsTest {
  private static LoggerContext turnedUp() throws JoranException {
    LoggerContext context = new LoggerContext();
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(LogLevelsTest.class.getResource("/logback.xml"));
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.TRACE);
    return context;
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.hc.client5.http.wire",
        "software.amazon.awssdk.request",
        "com.azure.security.keyvault.secrets.SecretClient.getSecret",
        "com.microsoft.aad.msal4j.HttpHelper",
        "com.google.auth.oauth2.GoogleCredentials",
        "io.grpc.netty.NettyClientHandler"
      })
  void whatPrintsBodiesStaysQuietWhenAllIsTurnedUp(String logger) throws JoranException {
    assertFalse(turnedUp().getLogger(logger).isInfoEnabled());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "com.azure.core.http.policy.RetryPolicy",
        "com.azure.core.http.rest.RestProxy",
        "com.azure.security.keyvault.secrets.implementation.KeyVaultCredentialPolicy"
      })
  void whatQuotesRefusalsIsSilent(String logger) throws JoranException {
    assertFalse(turnedUp().getLogger(logger).isErrorEnabled());
  }

  @Test
  void othersCanBeTurnedUp() throws JoranException {
    assertTrue(turnedUp().getLogger("org.apache.iceberg").isTraceEnabled());
  }

  /** A caller may choose a part of what is noted, a tenant's server what it answers. */
  @Test
  void nobodyElseWritesALineOfTheLog() throws JoranException {
    String forged = "x\r\n2026-01-01T00:00:00.000Z INFO  [main] audit - {\"who\":\"boss\"}\u2028y";
    LoggerContext context = turnedUp();
    var console = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("console");
    Throwable cause = new IllegalStateException(forged, new IOException(forged));
    String written =
        new String(
            console
                .getEncoder()
                .encode(
                    new LoggingEvent(
                        "x", context.getLogger("io.wings"), Level.WARN, forged, cause, null)),
            StandardCharsets.UTF_8);
    String[] lines = written.stripTrailing().split("\\R", -1);
    assertTrue(lines.length > 4, written);
    assertTrue(lines[0].matches("\\S+ WARN .*x 2026-01-01.*"), written);
    assertTrue(lines[1].startsWith("java.lang.IllegalStateException: x"), written);
    for (int i = 2; i < lines.length; i++) {
      assertTrue(lines[i].startsWith("  "), written);
    }
  }

  @Test
  void aLineWithoutAnExceptionIsOneLine() throws JoranException {
    LoggerContext context = turnedUp();
    var console = (ConsoleAppender<ILoggingEvent>) context.getLogger("ROOT").getAppender("console");
    LoggingEvent event =
        new LoggingEvent("x", context.getLogger("io.wings.A"), Level.INFO, "it is {}", null, null);
    event.setArgumentArray(new Object[] {"so"});
    String written = new String(console.getEncoder().encode(event), StandardCharsets.UTF_8);
    assertTrue(written.endsWith(" A - it is so\n"), written);
  }

  /** Section 12: who did what, however little else is told. */
  @Test
  void administrativeActsAreAlwaysNoted() throws JoranException {
    LoggerContext context = turnedUp();
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
    assertTrue(context.getLogger(Audit.LOG).isInfoEnabled());
  }
}
