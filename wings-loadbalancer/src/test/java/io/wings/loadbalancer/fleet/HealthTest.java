package io.wings.loadbalancer.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.loadbalancer.fleet.Health.State;
import org.junit.jupiter.api.Test;

class HealthTest {
  @Test
  void onlyOneThatSaidThatItServesTakesStreams() {
    assertFalse(Health.UNKNOWN.takesStreams());
    assertTrue(Health.UNKNOWN.serving().takesStreams());
    assertFalse(Health.UNKNOWN.serving().notServing().takesStreams());
    assertFalse(Health.UNKNOWN.serving().broken().takesStreams());
  }

  @Test
  void slowOneIsSuspectedBeforeItIsLost() {
    Health health = Health.UNKNOWN.serving().unanswered();
    assertTrue(health.takesStreams());
    health = health.unanswered();
    assertEquals(State.SUSPECT, health.state());
    health = health.unanswered();
    assertEquals(State.SUSPECT, health.state());
    health = health.unanswered();
    assertEquals(State.LOST, health.state());
    assertEquals(State.LOST, health.unanswered().broken().state());
    assertEquals(State.SERVING, health.serving().state());
  }

  @Test
  void oneAnswerForgivesAllFailures() {
    Health health = Health.UNKNOWN.serving().unanswered().unanswered().unanswered().serving();
    assertEquals(0, health.failures());
    assertTrue(health.unanswered().takesStreams());
  }

  @Test
  void brokenConnectionSuspectsAtOnce() {
    assertEquals(State.SUSPECT, Health.UNKNOWN.serving().broken().state());
  }

  @Test
  void drainingOneStaysSoWhileItIsSlow() {
    assertEquals(State.DRAINING, Health.UNKNOWN.serving().notServing().unanswered().state());
  }
}
