package io.wings.process;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.wings.cli.client.TableCreation;
import io.wings.cli.client.TableName;
import io.wings.cli.client.WingsClient;
import io.wings.common.objectstore.ObjectStore;
import io.wings.common.objectstore.s3.S3ProxyServer;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.arrow.memory.BufferAllocator;
import org.apache.arrow.memory.RootAllocator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * P1, P2 and P6 with real processes: a load balancer, a catalog and two of each other role over a
 * bucket; the doubled ones killed, paused and cut off from their store, in turn and then at random.
 * {@code -Dwings.chaos.seconds=900 -Dwings.chaos.seed=7} makes it longer, and another: from 300 s
 * on every process, the load balancer included, is killed in turn, and then paused for longer than
 * any lease lasts and than the log of what is in the table is kept.
 */
@Timeout(value = 1, unit = TimeUnit.HOURS)
class ChaosTest {
  private static final int WRITERS = 8;
  private static final long SECONDS = Long.getLong("wings.chaos.seconds", 12);
  private static final long SEED = Long.getLong("wings.chaos.seed", 1);
  private static final long BETWEEN_MILLIS = 1_500;

  private static final boolean LONG = SECONDS >= 300;

  /** How long a segment is kept whose rows are in the table. */
  private static final String RETENTION = LONG ? "20s" : "1d";

  /**
   * Beyond the broker's takeover time of 6 s; in the long form beyond leases of 30 s too, and the
   * retention and the sweep, every 60 s, after which segments are gone.
   */
  private static final long PAUSE_MILLIS =
      Long.getLong("wings.chaos.pause-seconds", LONG ? 90 : 8) * 1000;

  private static final long TAKEOVER_SECONDS = 6;

  @TempDir private Path directory;

  /**
   * A role that is started again whenever it was killed.
   *
   * @param link to its store; null for one that has none
   */
  private record Member(
      String name, @Nullable FaultyLink link, List<WingsProcess> lives, Start start) {
    interface Start {
      WingsProcess start(String name) throws IOException;
    }

    WingsProcess now() {
      return lives.getLast();
    }

    void begin() throws IOException {
      lives.add(start.start(name + "." + (lives.size() + 1)));
    }
  }

  private enum Fault {
    KILL,
    PAUSE,
    DELAY,
    RESET,
    HALF_OPEN,
    REPLIES_CUT
  }

  @Tag("long")
  @Test
  void everyAckedRowIsThereOnceWhateverDies() throws Exception {
    TableName table = TestCluster.table("chaos");
    try (S3ProxyServer server = S3ProxyServer.start();
        TestCluster cluster = new TestCluster(directory, server);
        BufferAllocator allocator = new RootAllocator()) {
      String balancer = "127.0.0.1:" + TestCluster.freePort();
      List<Member> members = members(cluster, server, balancer);
      try (WingsClient client = connect(balancer, allocator)) {
        JsonNode created =
            new TableCreation(table)
                .create(
                    client,
                    Writers.SCHEMA,
                    null,
                    null,
                    Map.of("wings.commit-interval", "1s", "wings.wal.retention", RETENTION));
        Writers writers = new Writers(table, () -> connect(balancer, allocator), allocator);
        writers.start(0, WRITERS);
        torment(LONG ? members : doubled(members));
        writers.stop();

        assertFalse(writers.acknowledged().isEmpty());
        if (!LONG) {
          LogRows.assertHolds(cluster, client, table, created, writers, allocator);
        }
        VisibleRows.assertHolds(cluster, client, table, writers);
      } finally {
        for (Member member : members) {
          FaultyLink link = member.link();
          if (link != null) {
            link.close();
          }
        }
      }
    }
  }

  /** Takeover within three times its time-out, although the active broker can't say good-bye. */
  @Test
  void aStandbyTakesOverFromABrokerThatDies() throws Exception {
    try (TestCluster cluster = new TestCluster(directory);
        ObjectStore store = cluster.openStore()) {
      WingsProcess first = cluster.start("broker-1", "broker", "--listen", "127.0.0.1:0");
      WingsProcess second = cluster.start("broker-2", "broker", "--listen", "127.0.0.1:0");
      String before = activeBroker(store);
      WingsProcess active = before.equals(first.address()) ? first : second;
      WingsProcess standby = active == first ? second : first;
      active.kill();

      long deadline = System.nanoTime() + 3 * TAKEOVER_SECONDS * 1_000_000_000L;
      while (!activeBroker(store).equals(standby.address()) && System.nanoTime() < deadline) {
        Thread.sleep(100);
      }
      assertEquals(standby.address(), activeBroker(store));
    }
  }

  private static String activeBroker(ObjectStore store) throws IOException {
    byte[] queue = store.get("queue.json").orElseThrow().bytes();
    return WingsClient.JSON.readTree(queue).path("broker").path("address").asText();
  }

  private List<Member> members(TestCluster cluster, S3ProxyServer server, String balancer)
      throws IOException {
    List<Member> members = new ArrayList<>();
    List<String> ingestors = new ArrayList<>();
    for (int i = 1; i <= 2; i++) {
      String listen = "127.0.0.1:" + TestCluster.freePort();
      ingestors.add(listen);
      String scratch = directory.resolve("scratch-" + i).toString();
      members.add(member(cluster, server, "ingestor-" + i, "ingestor", "--listen", listen));
      members.add(member(cluster, server, "broker-" + i, "broker", "--listen", "127.0.0.1:0"));
      members.add(member(cluster, server, "worker-" + i, "worker", "--scratch", scratch));
    }
    members.add(member(cluster, server, "catalog", "catalog", "--open", "--listen", "127.0.0.1:0"));
    members.add(
        new Member(
            "load-balancer",
            null,
            new ArrayList<>(),
            life -> cluster.loadBalancer(life, balancer, ingestors)));
    for (Member member : members) {
      member.begin();
    }
    return members;
  }

  private static Member member(
      TestCluster cluster, S3ProxyServer server, String name, String role, String... more)
      throws IOException {
    FaultyLink link = FaultyLink.to(server.endpoint());
    return new Member(
        name,
        link,
        new ArrayList<>(),
        life -> cluster.startThrough(link.endpoint(), life, role, more));
  }

  /**
   * One fault at a time: a kill of one of each doubled role, in the long form of every process, and
   * a pause; then whatever the seed says.
   */
  private static void torment(List<Member> members) throws Exception {
    Random random = new Random(SEED);
    long end = System.nanoTime() + SECONDS * 1_000_000_000L;
    for (Member member : LONG ? members : members.subList(0, 3)) {
      Thread.sleep(BETWEEN_MILLIS);
      suffer(member, Fault.KILL);
      if (LONG) {
        Thread.sleep(BETWEEN_MILLIS);
        suffer(member, Fault.PAUSE);
      }
    }
    while (System.nanoTime() < end) {
      Thread.sleep(BETWEEN_MILLIS);
      Fault fault = Fault.values()[random.nextInt(Fault.values().length)];
      suffer(members.get(random.nextInt(members.size())), fault);
    }
  }

  /** Those of which there are two, whose death no writer notices. */
  private static List<Member> doubled(List<Member> members) {
    return members.stream().filter(member -> member.name().matches(".*-\\d")).toList();
  }

  private static void suffer(Member member, Fault fault) throws Exception {
    switch (fault) {
      case KILL -> {
        member.now().kill();
        member.begin();
      }
      case PAUSE -> {
        member.now().pause();
        Thread.sleep(PAUSE_MILLIS);
        member.now().resume();
      }
      case DELAY -> sever(member, FaultyLink.State.DELAYS);
      case RESET -> sever(member, FaultyLink.State.RESETS);
      case HALF_OPEN -> sever(member, FaultyLink.State.HALF_OPEN);
      case REPLIES_CUT -> sever(member, FaultyLink.State.REPLIES_CUT);
    }
    assertTrue(member.now().alive(), () -> member.name() + " ended by itself");
  }

  private static void sever(Member member, FaultyLink.State state) throws InterruptedException {
    FaultyLink link = member.link();
    if (link != null) {
      link.become(state);
      Thread.sleep(PAUSE_MILLIS);
      link.become(FaultyLink.State.WELL);
    }
  }

  private static WingsClient connect(String balancer, BufferAllocator allocator) {
    return WingsClient.connect("grpc://" + balancer, null, allocator);
  }
}
