package io.wings.common.wal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random logs under tight rules, so that forgetting, floors and limits all happen. */
class LaneStatePropertyTest {
  private static final int NUMBERS = 1_100;

  /** A producer as its client sees it. */
  private static final class Client {
    private long epoch;
    private long next = 1;
  }

  private static LogWriter randomLog(long seed) {
    Random random = new Random(seed);
    LogWriter log = new LogWriter();
    log.add(new RulesRecord(new LaneRules(4, 3, 20, 3, 6_000)));
    log.land();
    Map<ProducerKey, Client> clients = new HashMap<>();
    while (log.state().head() < NUMBERS) {
      int entries = random.nextInt(6);
      for (int i = 0; i < entries; i++) {
        step(log, clients, random);
      }
      if (random.nextInt(200) == 0) {
        log.add(
            new RulesRecord(
                new LaneRules(
                    2 + random.nextInt(5),
                    1 + random.nextInt(4),
                    20,
                    3,
                    3_000 + random.nextInt(6_000))));
      }
      log.land();
    }
    return log;
  }

  private static void step(LogWriter log, Map<ProducerKey, Client> clients, Random random) {
    boolean named = random.nextBoolean();
    String principal = "p" + random.nextInt(4);
    ProducerKey key = new ProducerKey(principal, "n" + random.nextInt(12), named);
    Client client = clients.computeIfAbsent(key, _ -> new Client());
    if (named && (client.epoch == 0 || random.nextInt(8) == 0)) {
      if (log.add(new EpochRecord(key)) instanceof Verdict.Accepted) {
        client.epoch = log.state().head() + 1;
        client.next =
            log.state().producer(key).map(state -> state.lastSequence() + 1).orElse(client.next);
      }
      return;
    }
    if (!named && client.next == 1) {
      client.epoch = log.state().head();
    }
    long sequence = client.next + random.nextInt(5) - 2;
    Verdict verdict =
        random.nextInt(3) == 0
            ? log.reject(key, client.epoch, sequence)
            : log.batch(key, client.epoch, sequence, random.nextBoolean() ? "t" + sequence : null);
    switch (verdict) {
      case Verdict.Accepted _ -> client.next = sequence + 1;
      case Verdict.Gap(long expected) -> client.next = expected;
      case Verdict.Forgotten _, Verdict.UnknownEpoch _ -> clients.remove(key);
      default -> {}
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void replayFromAnyCheckpointEqualsReplayFromTheStart(long seed) {
    LogWriter log = randomLog(seed);
    Checkpoint end = log.state().checkpoint();
    LaneState replica = new LaneState(WalSamples.LANE);
    log.log().forEach(replica::apply);
    assertEquals(end, replica.checkpoint());
    int checkpoints = 0;
    for (SegmentFooter footer : log.log()) {
      if (footer.checkpoint() != null) {
        checkpoints++;
        LaneState later = LaneState.before(WalSamples.LANE, footer);
        List<SegmentFooter> rest = log.log().subList((int) footer.number() - 1, log.log().size());
        rest.forEach(later::apply);
        assertEquals(end, later.checkpoint());
      }
    }
    assertEquals(NUMBERS / SegmentFooter.CHECKPOINT_EVERY, checkpoints);
  }

  @ParameterizedTest
  @ValueSource(longs = {11, 12, 13, 14})
  void footersSurviveEncodingAndReplicasThatReadThemAgree(long seed) {
    LogWriter log = randomLog(seed);
    LaneState replica = new LaneState(WalSamples.LANE);
    for (SegmentFooter footer : log.log()) {
      // Without blocks: the layout check would miss the data that these logs don't have.
      SegmentFooter bare = withoutBatches(footer);
      byte[] bytes = FooterCodec.encode(bare);
      assertEquals(
          bare,
          FooterCodec.decode("test", java.nio.ByteBuffer.wrap(bytes), WalFormat.HEADER_BYTES));
      replica.apply(footer);
      assertTrue(replica.bytes() <= Math.max(replica.rules().maxStateBytes(), 1_000));
    }
    assertEquals(log.state().checkpoint(), replica.checkpoint());
  }

  private static SegmentFooter withoutBatches(SegmentFooter footer) {
    return new SegmentFooter(
        footer.table(),
        footer.incarnation(),
        footer.lane(),
        footer.number(),
        footer.putId(),
        footer.ingestor(),
        footer.written(),
        List.of(),
        footer.entries().stream().filter(entry -> !(entry instanceof BatchEntry)).toList(),
        footer.checkpoint());
  }

  /** P2: whatever is sent again, nothing is stored twice while its producer is remembered. */
  @ParameterizedTest
  @ValueSource(longs = {21, 22, 23, 24})
  void storesNoSequenceOfOneLifeTwice(long seed) {
    LogWriter log = randomLog(seed);
    record Stored(ProducerKey producer, long born, long sequence) {}
    Set<Stored> stored = new HashSet<>();
    Map<ProducerKey, Long> births = new HashMap<>();
    LaneState state = new LaneState(WalSamples.LANE);
    for (SegmentFooter footer : log.log()) {
      for (WalEntry entry : footer.entries()) {
        if (entry instanceof EpochRecord(ProducerKey producer)
            && state.producer(producer).isEmpty()) {
          births.put(producer, footer.number());
        }
        if (entry instanceof BatchEntry batch) {
          long born =
              batch.producer().named() ? births.getOrDefault(batch.producer(), 0L) : batch.epoch();
          assertTrue(
              stored.add(new Stored(batch.producer(), born, batch.sequence())),
              () -> batch + " is stored twice");
        }
      }
      state.apply(footer);
    }
    assertTrue(stored.size() > 100, "the log holds batches");
  }
}
