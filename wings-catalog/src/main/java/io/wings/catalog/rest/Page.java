package io.wings.catalog.rest;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A part of a list.
 *
 * @param next asks for what comes after it; null for the last
 */
record Page<T>(List<T> items, @Nullable String next) {
  private static final String TOKEN = "pageToken";
  private static final String SIZE = "pageSize";
  private static final int MAX_ITEMS = 1000;

  /**
   * What a query asks for: all of it, unless it says how much.
   *
   * @throws IllegalArgumentException for a query that says neither where nor how much
   */
  static <T> Page<T> of(List<T> all, Map<String, String> query) {
    if (!query.containsKey(TOKEN) && !query.containsKey(SIZE)) {
      return new Page<>(all, null);
    }
    String token = query.getOrDefault(TOKEN, "");
    int from = token.isEmpty() ? 0 : number(TOKEN, token, 0);
    int size =
        query.containsKey(SIZE) ? number(SIZE, String.valueOf(query.get(SIZE)), 1) : MAX_ITEMS;
    int begin = Math.min(from, all.size());
    int end = begin + Math.min(size, all.size() - begin);
    return new Page<>(all.subList(begin, end), end == all.size() ? null : Integer.toString(end));
  }

  private static int number(String parameter, String text, int least) {
    int number;
    try {
      number = Integer.parseInt(text);
    } catch (NumberFormatException _) {
      number = -1;
    }
    if (number < least) {
      throw new IllegalArgumentException(
          parameter + ": expected a number from " + least + ", got another text");
    }
    return number;
  }
}
