package io.wings.cli;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import io.wings.common.grant.Audit;
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

  /** Section 12: who did what, however little else is told. */
  @Test
  void administrativeActsAreAlwaysNoted() throws JoranException {
    LoggerContext context = turnedUp();
    context.getLogger(Logger.ROOT_LOGGER_NAME).setLevel(Level.ERROR);
    assertTrue(context.getLogger(Audit.LOG).isInfoEnabled());
  }
}
