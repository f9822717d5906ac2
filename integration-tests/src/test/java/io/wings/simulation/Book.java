package io.wings.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** What clients were told, and what follows from it for the table. */
final class Book {
  /** A batch as it was sent: a new attempt is another content. */
  record Sent(int producer, int attempt, long sequence) {
    /** By which the log knows it, up to what follows {@code #}. */
    String token() {
      return producer + "/" + attempt + "/" + sequence;
    }
  }

  /** A row of a table, by what is in it. */
  record Row(int producer, int attempt, long sequence, int row) {}

  private final Set<Sent> sent = new HashSet<>();
  private final Map<Sent, Long> acked =
      new TreeMap<>(
          java.util.Comparator.comparingInt(Sent::producer)
              .thenComparingInt(Sent::attempt)
              .thenComparingLong(Sent::sequence));
  private final Set<Sent> rejected = new HashSet<>();
  private final Set<Sent> returned = new HashSet<>();
  private final Set<Row> withdrawn = new HashSet<>();
  private final Map<Integer, Long> highestDecided = new HashMap<>();

  void sent(Sent batch) {
    sent.add(batch);
  }

  /** Durable, or a duplicate of what is. */
  void acked(Sent batch, long position) {
    long _ = acked.merge(batch, position, Math::min);
    decided(batch);
  }

  void rejected(Sent batch) {
    rejected.add(batch);
    decided(batch);
  }

  /** A living load balancer gave it back unanswered, to be sent again by its nameless client. */
  void returned(Sent batch) {
    returned.add(batch);
  }

  private void decided(Sent batch) {
    long _ = highestDecided.merge(batch.producer, batch.sequence, Math::max);
  }

  /** The highest sequence that a named producer has had an answer to. */
  long highestDecided(int producer) {
    return highestDecided.getOrDefault(producer, 0L);
  }

  /** Another engine took rows out, which must not come back, or put some back itself. */
  void moved(Set<Row> gone, Set<Row> back) {
    withdrawn.addAll(gone);
    withdrawn.removeAll(back);
  }

  /** How many of {@code rows} another engine took out of main. */
  long withdrawn(Set<Row> rows) {
    return withdrawn.isEmpty() ? 0 : rows.stream().filter(withdrawn::contains).count();
  }

  long acks() {
    return acked.size();
  }

  long ackedRows() {
    return acked.keySet().stream()
        .mapToLong(batch -> Batches.rows(batch.producer, batch.sequence))
        .sum();
  }

  /** Lowest position at which a batch may be by what was told of it. */
  Map<Sent, Long> positions() {
    return Map.copyOf(acked);
  }

  /**
   * What is wrong with a table that holds {@code found}.
   *
   * @param found how often each row is there
   */
  List<String> violations(Map<Row, Integer> found) {
    List<String> wrong = new ArrayList<>();
    for (Sent batch : acked.keySet()) {
      for (int row = 0; row < Batches.rows(batch.producer, batch.sequence); row++) {
        Row expected = new Row(batch.producer, batch.attempt, batch.sequence, row);
        if (!found.containsKey(expected) && !withdrawn.contains(expected)) {
          wrong.add("lost: acknowledged, not in the table: " + expected);
        }
      }
      if (rejected.contains(batch)) {
        wrong.add("answered both stored and rejected: " + batch);
      }
    }
    found.forEach(
        (row, times) -> {
          Sent batch = new Sent(row.producer, row.attempt, row.sequence);
          if (times > 1) {
            wrong.add("doubled: " + times + " times in the table: " + row);
          }
          if (withdrawn.contains(row)) {
            wrong.add("came back after another engine took it out: " + row);
          }
          if (rejected.contains(batch)) {
            wrong.add("rejected, and in the table: " + row);
          }
          if (returned.contains(batch)) {
            wrong.add("given back to be sent again, and in the table: " + row);
          }
          if (!sent.contains(batch)) {
            wrong.add("never sent, and in the table: " + row);
          }
        });
    return wrong;
  }
}
