package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.wings.broker.core.Command;
import io.wings.broker.core.Reply;
import io.wings.common.cluster.Keys;
import io.wings.common.objectstore.Body;
import io.wings.common.objectstore.PutCondition;
import io.wings.common.objectstore.PutOutcome;
import io.wings.common.queue.Lease;
import io.wings.common.queue.StoredTask;
import io.wings.common.queue.TaskSpec;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Standing by, taking over and group commit, one situation at a time, under simulation. */
class BrokerTest {
  private static final Duration SECOND = Duration.ofSeconds(1);
  private static final Duration TAKEOVER = BrokerTiming.DEFAULT.takeover();
  private static final Weather LOST_REPLIES =
      new Weather(Duration.ofMillis(100), 0, SECOND, 0, 1, 0, 0);
  private static final Weather LATE = new Weather(Duration.ofMillis(100), 0, SECOND, 0, 0, 1, 0);
  private static final Weather DEAD = new Weather(Duration.ofMillis(100), 0, SECOND, 1, 0, 0, 0);
  private static final Weather FULL = new Weather(Duration.ofMillis(100), 0, SECOND, 0, 0, 0, 1);

  /** A test's steps. */
  private interface Scenario {
    void play(SimulatedCluster cluster);
  }

  private static void play(Scenario scenario) {
    Simulation.onVirtualThread(
        () -> {
          for (long seed = 1; seed <= 5; seed++) {
            try (SimulatedCluster cluster = new SimulatedCluster(seed)) {
              scenario.play(cluster);
            }
          }
        });
  }

  private static void pass(SimulatedCluster cluster, Duration duration) {
    cluster.simulation.run(duration);
  }

  private static Command schedule(String key) {
    return new Command.Schedule(
        List.of(new TaskSpec("materialize", key, key, Map.of(), Duration.ZERO)));
  }

  private static final Command REQUEST = new Command.Request("w", Set.of("materialize"), 1);

  /** What came of calls made in the background. */
  private static final class Replies {
    final List<Optional<Reply>> all = new ArrayList<>();

    long known() {
      return all.stream().filter(Optional::isPresent).count();
    }

    Lease lease(int index) {
      return ((Reply.Granted) all.get(index).orElseThrow()).leases().getFirst();
    }
  }

  private static void call(
      SimulatedCluster cluster, Replies replies, Command command, Duration hold) {
    cluster.simulation.spawn("client", self -> replies.all.add(cluster.call(self, command, hold)));
  }

  /** Calls until it is known, as clients do. */
  private static Reply insist(SimulatedCluster cluster, Command command) {
    Replies replies = new Replies();
    for (int i = 0; i < 20 && replies.known() == 0; i++) {
      replies.all.clear();
      call(cluster, replies, command, Duration.ZERO);
      while (replies.all.isEmpty()) {
        pass(cluster, SECOND);
      }
    }
    return replies.all.getFirst().orElseThrow();
  }

  private static Lease lease(Reply reply) {
    return ((Reply.Granted) reply).leases().getFirst();
  }

  @Test
  void anAbsentObjectIsCreatedAtOnce() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          assertTrue(cluster.counts("a").active);
          assertEquals("a:1", cluster.file().address());
        });
  }

  @Test
  void ofTwoThatStartTogetherOneIsActive() {
    play(
        cluster -> {
          cluster.start("a");
          cluster.start("b");
          pass(cluster, Duration.ofSeconds(60));
          assertTrue(cluster.counts("a").active ^ cluster.counts("b").active);
          assertEquals(1, cluster.witness.epoch());
        });
  }

  @Test
  void aDeadBrokerIsReplacedAfterTheTakeoverTimeAndNotBefore() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          pass(cluster, SECOND.multipliedBy(10));
          cluster.kill("a");
          pass(cluster, TAKEOVER.minus(SECOND.multipliedBy(2)));
          assertFalse(cluster.counts("b").active);
          pass(cluster, SECOND.multipliedBy(5));
          assertTrue(cluster.counts("b").active);
          assertEquals(2, cluster.witness.epoch());
        });
  }

  @Test
  void aBrokerThatStepsDownIsReplacedAtOnceAndNothingIsLost() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          cluster.start("b");
          pass(cluster, SECOND.multipliedBy(3));
          Replies replies = new Replies();
          call(cluster, replies, schedule("last"), Duration.ZERO);
          cluster.broker("a").leave();
          pass(cluster, BrokerTiming.DEFAULT.readInterval().plus(SECOND));
          assertTrue(cluster.counts("b").active, "well before the takeover time");
          assertEquals(2, cluster.witness.epoch());
          pass(cluster, SECOND.multipliedBy(20));
          List<String> keys = cluster.file().tasks().stream().map(StoredTask::key).toList();
          assertTrue(keys.contains("t"));
          assertTrue(replies.known() == 0 || keys.contains("last"));
          assertEquals("b:1", cluster.file().address());
        });
  }

  /** Trap 10: the last write's reply is lost; the broker finds out, and ends all the same. */
  @Test
  void aStepDownWhoseReplyIsLostIsSettled() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.weather = LOST_REPLIES;
          cluster.broker("a").leave();
          pass(cluster, SECOND.multipliedBy(10));
          cluster.weather = Weather.FAIR;
          pass(cluster, SECOND.multipliedBy(10));
          assertTrue(cluster.file().steppedDown());
          cluster.start("b");
          pass(cluster, SECOND.multipliedBy(2));
          assertTrue(cluster.counts("b").active);
        });
  }

  @Test
  void ofTwoThatSeeAStepDownOneIsActive() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          cluster.start("c");
          pass(cluster, SECOND.multipliedBy(3));
          cluster.broker("a").leave();
          pass(cluster, Duration.ofSeconds(60));
          assertTrue(cluster.counts("b").active ^ cluster.counts("c").active);
          assertEquals(2, cluster.witness.epoch());
        });
  }

  /**
   * Trap 23 at run time: the broker was taken for dead, its address went to another process, and it
   * is alive after all.
   */
  @Test
  void aLiveBrokerIsReplacedByTheProcessThatItsClientsReach() {
    play(
        cluster -> {
          cluster.start("old", "host");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          cluster.start("new", "host");
          pass(cluster, Duration.ofMinutes(10));
          assertTrue(cluster.counts("old").active, "while nobody calls, nobody needs another");
          insist(cluster, schedule("u"));
          assertTrue(cluster.counts("new").active);
          assertEquals(2, cluster.witness.epoch());
          List<String> keys = cluster.file().tasks().stream().map(StoredTask::key).toList();
          assertTrue(keys.containsAll(List.of("t", "u")), keys.toString());
          for (int i = 0; i < 60; i++) {
            insist(cluster, schedule("t" + i));
          }
          assertEquals(2, cluster.witness.epoch());
          assertEquals(1, cluster.counts("old").depositions);
        });
  }

  /** Trap 37: by mistake two brokers advertise one address, which leads to either. */
  @Test
  void twoBrokersBehindOneAddressDontDeposeEachOtherForEver() {
    play(
        cluster -> {
          cluster.start("a", "host");
          cluster.start("b", "host");
          cluster.route("host", "a", "b");
          Replies replies = new Replies();
          for (int i = 0; i < 3_600; i++) {
            call(cluster, replies, schedule("t" + i % 10), Duration.ZERO);
            pass(cluster, SECOND);
          }
          assertTrue(cluster.witness.epoch() <= 14, cluster.witness.epoch() + " epochs in an hour");
          assertTrue(replies.known() > 1_000, replies.known() + " calls answered");
        });
  }

  @Test
  void aLiveBrokerIsLeftAlone() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          pass(cluster, Duration.ofHours(1));
          assertEquals(1, cluster.witness.epoch());
          assertTrue(cluster.counts("a").writes >= 1800, "a write every N/3 at least");
        });
  }

  @Test
  void whenAllWerePausedTogetherNobodyIsDeposed() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          for (int i = 0; i < 10; i++) {
            pass(cluster, SECOND.multipliedBy(10));
            cluster.freeze("a", Duration.ofMinutes(1));
            cluster.freeze("b", Duration.ofMinutes(1));
            pass(cluster, Duration.ofMinutes(1));
          }
          assertEquals(1, cluster.witness.epoch());
          assertTrue(cluster.counts("a").active);
        });
  }

  /** Trap 9: a deposed broker answers from memory. */
  @Test
  void aDeposedBrokerAnswersNothingFromMemory() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          cluster.start("b");
          pass(cluster, SECOND.multipliedBy(3));
          Replies replies = new Replies();
          for (Command command :
              List.of(
                  REQUEST,
                  schedule("t"),
                  new Command.ListTasks(),
                  new Command.Heartbeat(List.of("x")),
                  new Command.Acknowledge("x"))) {
            cluster.simulation.spawn(
                "client",
                self ->
                    replies.all.add(
                        cluster.call(
                            self, "a", cluster.broker("a"), 1, command, Duration.ofSeconds(60))));
          }
          cluster.freeze("a", Duration.ofSeconds(40));
          pass(cluster, SECOND.multipliedBy(39));
          assertTrue(cluster.counts("b").active);
          pass(cluster, SECOND.multipliedBy(60));
          assertEquals(5, replies.all.size());
          assertEquals(0, replies.known());
          assertEquals(1, cluster.counts("a").depositions);
          assertFalse(cluster.counts("a").active);
          assertEquals("t", lease(insist(cluster, REQUEST)).task().key());
        });
  }

  /** Trap 10: a live broker fences itself after a lost reply. */
  @Test
  void aLiveBrokerOutlivesLostReplies() {
    outlives(LOST_REPLIES);
  }

  /** Trap 10, where the put lands after it was given up on. */
  @Test
  void aLiveBrokerTakesItsOwnLatePutForASuccess() {
    outlives(LATE);
  }

  private static void outlives(Weather weather) {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          cluster.weather = weather;
          for (int i = 0; i < 20; i++) {
            assertEquals(new Reply.Scheduled(), insist(cluster, schedule("t" + i)));
          }
          assertEquals(1, cluster.witness.epoch());
          assertEquals(0, cluster.counts("a").depositions);
          assertEquals(21, cluster.file().tasks().size());
        });
  }

  /** Trap 37: two brokers depose each other for ever. */
  @Test
  void aSlowStoreDoesNotMakeBrokersDeposeEachOther() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.start("b");
          pass(cluster, SECOND);
          cluster.weather = new Weather(SECOND.multipliedBy(9), 0, SECOND, 0, 0, 0, 0);
          pass(cluster, Duration.ofMinutes(20));
          assertTrue(cluster.witness.epoch() <= 3, "epoch " + cluster.witness.epoch());
          long before = cluster.witness.epoch();
          cluster.weather = Weather.FAIR;
          pass(cluster, Duration.ofMinutes(10));
          assertTrue(cluster.witness.epoch() <= before + 1);
          assertTrue(cluster.counts("a").active ^ cluster.counts("b").active);
        });
  }

  /** Trap 37, with brokers that are paused in turn: one takeover for each pause at most. */
  @Test
  void pausedBrokersAreReplacedOncePerPause() {
    play(
        cluster -> {
          cluster.start("a");
          cluster.start("b");
          pass(cluster, SECOND.multipliedBy(3));
          for (int i = 1; i <= 6; i++) {
            String active = cluster.counts("a").active ? "a" : "b";
            cluster.freeze(active, Duration.ofSeconds(20));
            pass(cluster, Duration.ofSeconds(90));
            assertEquals(1 + i, cluster.witness.epoch());
            assertTrue(cluster.counts("a").active ^ cluster.counts("b").active);
          }
        });
  }

  /** Trap 16: time in which nobody could be heard doesn't count against a lease. */
  @Test
  void aLeaseOutlivesAnOutageOfTheStore() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          Lease lease = lease(insist(cluster, REQUEST));
          for (Weather outage : List.of(DEAD, FULL)) {
            cluster.weather = outage;
            pass(cluster, Duration.ofMinutes(5));
            cluster.weather = Weather.FAIR;
            assertEquals(
                new Reply.Alive(Set.of(lease.id())),
                insist(cluster, new Command.Heartbeat(List.of(lease.id()))));
          }
          assertEquals(
              new Reply.Settled(true), insist(cluster, new Command.Acknowledge(lease.id())));
        });
  }

  /** Trap 16, where the broker itself stood still. */
  @Test
  void aLeaseOutlivesAPauseOfItsBroker() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          Lease lease = lease(insist(cluster, REQUEST));
          cluster.freeze("a", Duration.ofMinutes(10));
          pass(cluster, Duration.ofMinutes(10).plusSeconds(4));
          assertEquals(
              new Reply.Alive(Set.of(lease.id())),
              insist(cluster, new Command.Heartbeat(List.of(lease.id()))));
        });
  }

  @Test
  void aWorkerThatDiesLosesItsLeaseAfterItsTime() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          Lease lease = lease(insist(cluster, REQUEST));
          pass(cluster, lease.duration().minusSeconds(4));
          assertEquals(new Reply.Granted(List.of()), insist(cluster, REQUEST));
          pass(cluster, SECOND.multipliedBy(5));
          assertEquals("t", lease(insist(cluster, REQUEST)).task().key());
        });
  }

  @Test
  void commandsGatherWhileAWriteIsInFlight() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          int before = cluster.counts("a").writes;
          Replies replies = new Replies();
          for (int i = 0; i < 500; i++) {
            call(cluster, replies, schedule("t" + i), Duration.ZERO);
          }
          pass(cluster, SECOND);
          assertEquals(500, replies.known());
          assertTrue(
              cluster.counts("a").writes - before <= 25,
              "writes " + (cluster.counts("a").writes - before));
        });
  }

  @Test
  void nothingIsAnsweredWhileNothingCanBeWritten() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          cluster.weather = FULL;
          Replies replies = new Replies();
          call(cluster, replies, schedule("t"), Duration.ZERO);
          pass(cluster, SECOND.multipliedBy(9));
          assertEquals(List.of(), replies.all);
          cluster.weather = Weather.FAIR;
          pass(cluster, SECOND.multipliedBy(3));
          assertEquals(List.of(Optional.of(new Reply.Scheduled())), replies.all);
        });
  }

  @Test
  void aHeldRequestGetsWorkAsSoonAsItIsThere() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          Replies replies = new Replies();
          call(cluster, replies, REQUEST, SECOND.multipliedBy(8));
          pass(cluster, SECOND.multipliedBy(4));
          assertEquals(List.of(), replies.all);
          insist(cluster, schedule("t"));
          pass(cluster, SECOND);
          assertEquals("t", replies.lease(0).task().key());
        });
  }

  @Test
  void aHeldRequestIsAnsweredEmptyWhenItsTimeIsOver() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          Replies replies = new Replies();
          call(cluster, replies, REQUEST, SECOND.multipliedBy(5));
          pass(cluster, SECOND.multipliedBy(4));
          assertEquals(List.of(), replies.all);
          pass(cluster, SECOND.multipliedBy(3));
          assertEquals(List.of(Optional.of(new Reply.Granted(List.of()))), replies.all);
        });
  }

  @Test
  void whatWasGrantedToOneWhoIsGoneGoesBack() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          Call call =
              cluster
                  .broker("a")
                  .submit(
                      1,
                      REQUEST,
                      Duration.ZERO,
                      _ -> {
                        throw new AssertionError("answered one who is gone");
                      });
          cluster.signal("a");
          cluster.simulation.after(Duration.ofMillis(8), call::cancel);
          pass(cluster, SECOND.multipliedBy(2));
          assertEquals("t", lease(insist(cluster, REQUEST)).task().key());
        });
  }

  @Test
  void aQueueThatSomeoneRemovedIsMadeAnew() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          insist(cluster, schedule("t"));
          cluster.witness.removed();
          cluster.store.delete(Keys.QUEUE);
          pass(cluster, SECOND.multipliedBy(5));
          assertTrue(cluster.counts("a").active);
          assertEquals(1, cluster.file().tasks().size());
          assertEquals("sweep", cluster.file().tasks().getFirst().key());
        });
  }

  @Test
  void aQueueThatSomeoneBrokeIsLeftUntouched() {
    play(
        cluster -> {
          cluster.start("a");
          pass(cluster, SECOND);
          byte[] broken = "{ by hand".getBytes(StandardCharsets.UTF_8);
          PutOutcome _ = cluster.store.put(Keys.QUEUE, Body.of(broken), PutCondition.any());
          cluster.witness.removed();
          pass(cluster, Duration.ofMinutes(1));
          assertFalse(cluster.counts("a").active);
          assertEquals(
              "{ by hand",
              new String(
                  cluster.store.get(Keys.QUEUE).orElseThrow().bytes(), StandardCharsets.UTF_8));
          cluster.store.delete(Keys.QUEUE);
          pass(cluster, SECOND.multipliedBy(3));
          assertTrue(cluster.counts("a").active);
        });
  }
}
