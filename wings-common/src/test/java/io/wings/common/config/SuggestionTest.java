package io.wings.common.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.common.error.WingsException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SuggestionTest {
  private static final List<String> KNOWN =
      List.of("wings.commit-interval", "wings.wal.lanes", "wings.entity.version");

  @ParameterizedTest
  @ValueSource(
      strings = {
        "wings.comit-interval",
        "wings.commit-intreval",
        "wings.commit_interval",
        "WINGS.Commit-Interval",
        "wing.commit-interval"
      })
  void findsTheNameThatWasMeant(String misspelt) {
    assertEquals(Optional.of("wings.commit-interval"), Suggestion.closest(misspelt, KNOWN));
  }

  @Test
  void suggestsNothingForAnotherWord() {
    assertEquals(Optional.empty(), Suggestion.closest("write.format", KNOWN));
    assertEquals(Optional.empty(), Suggestion.closest("x".repeat(100_000), KNOWN));
    assertEquals(Optional.empty(), Suggestion.closest("anything", List.of()));
  }

  /** Trap 25: a misspelt setting is ignored. */
  @Test
  void theErrorNamesTheMisspeltKeyAndTheOneThatWasMeant() {
    WingsException near = Suggestion.unknown("unknown-setting", "setting", "wings.wal.lane", KNOWN);
    assertEquals("unknown-setting", near.code());
    assertTrue(near.toString().contains("'wings.wal.lane'"), near.toString());
    assertTrue(near.toString().contains("did you mean 'wings.wal.lanes'?"), near.toString());
    WingsException far = Suggestion.unknown("unknown-setting", "setting", "colour", KNOWN);
    assertTrue(far.toString().contains("wings.entity.version"), far.toString());
  }
}
