package io.wings.common.config;

import io.wings.common.error.WingsException;
import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;

/** What someone who wrote an unknown name probably meant. */
public final class Suggestion {
  /** More than a third of the letters wrong is another word, not a misspelt one. */
  private static final int LETTERS_PER_MISTAKE = 3;

  private static final int MAX_CHARS = 128;

  private Suggestion() {}

  /** The known name nearest to {@code unknown} by edits, if any is near; case is no edit. */
  public static Optional<String> closest(String unknown, Collection<String> known) {
    if (unknown.length() > MAX_CHARS) {
      return Optional.empty();
    }
    return known.stream()
        .filter(name -> name.length() <= MAX_CHARS)
        .filter(
            name ->
                distance(unknown, name)
                    <= Math.max(1, Math.max(unknown.length(), name.length()) / LETTERS_PER_MISTAKE))
        .min(
            Comparator.comparingInt((String name) -> distance(unknown, name))
                .thenComparing(Comparator.naturalOrder()));
  }

  /**
   * The error for a name that isn't known.
   *
   * @param code the error's stable code, e.g. {@code unknown-setting}
   * @param what what the name names, e.g. {@code table property}
   */
  public static WingsException unknown(
      String code, String what, String unknown, Collection<String> known) {
    String hint =
        closest(unknown, known)
            .map(name -> "did you mean '" + name + "'?")
            .orElseGet(() -> "known are " + String.join(", ", known.stream().sorted().toList()));
    return WingsException.invalid(code, "unknown " + what + " '" + unknown + "'; " + hint);
  }

  /** Levenshtein's distance where swapping two neighbours is one edit. */
  private static int distance(String misspelt, String known) {
    String left = misspelt.toLowerCase(Locale.ROOT);
    String right = known.toLowerCase(Locale.ROOT);
    int[][] cost = new int[left.length() + 1][right.length() + 1];
    for (int i = 0; i <= left.length(); i++) {
      for (int j = 0; j <= right.length(); j++) {
        if (i == 0 || j == 0) {
          cost[i][j] = i + j;
          continue;
        }
        int change = left.charAt(i - 1) == right.charAt(j - 1) ? 0 : 1;
        int best =
            Math.min(cost[i - 1][j - 1] + change, Math.min(cost[i - 1][j] + 1, cost[i][j - 1] + 1));
        if (i > 1
            && j > 1
            && left.charAt(i - 1) == right.charAt(j - 2)
            && left.charAt(i - 2) == right.charAt(j - 1)) {
          best = Math.min(best, cost[i - 2][j - 2] + 1);
        }
        cost[i][j] = best;
      }
    }
    return cost[left.length()][right.length()];
  }
}
