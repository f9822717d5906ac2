package io.wings.loadbalancer.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.grpc.StatusRuntimeException;
import io.wings.common.error.WingsException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class HeldBytesTest {
  @Test
  void readsOnWhileThereIsRoom() {
    HeldBytes held = new HeldBytes(100, 1_000_000);
    AtomicInteger read = new AtomicInteger();
    try (HeldBytes.Share share = held.share("a")) {
      assertTrue(share.add(50));
      share.whenRoom(read::incrementAndGet);
      assertEquals(1, read.get());
      assertTrue(share.add(1));
      share.whenRoom(read::incrementAndGet);
      assertEquals(1, read.get());
      share.releaseAll();
      assertEquals(2, read.get());
      assertEquals(0, held.total());
    }
  }

  /** Trap 21: what stays never takes the room that batches go through. */
  @Test
  void whatLastsLeavesRoomForBatches() {
    HeldBytes held = new HeldBytes(1_000_000, 100);
    AtomicInteger read = new AtomicInteger();
    try (HeldBytes.Share first = held.share("a");
        HeldBytes.Share second = held.share("b");
        HeldBytes.Share elsewhere = held.share("c")) {
      first.tenant("one");
      second.tenant("one");
      elsewhere.tenant("other");
      assertTrue(first.add(60));
      assertTrue(first.lasts(50));
      assertTrue(second.add(60));
      assertFalse(second.lasts(1));
      assertTrue(second.lasts(1), "said once");
      assertTrue(elsewhere.lasts(50));
      second.releaseAll();
      first.whenRoom(read::incrementAndGet);
      assertEquals(1, read.get());
    }
  }

  /** Of all together too, but for a principal that has less than its share. */
  @Test
  void whatLastsOfAllLeavesRoomForBatches() {
    HeldBytes held = new HeldBytes(400, 1_000_000);
    try (HeldBytes.Share much = held.share("greedy");
        HeldBytes.Share little = held.share("modest")) {
      assertTrue(much.lasts(100));
      assertTrue(little.lasts(50));
      assertFalse(much.lasts(101));
      assertFalse(little.lasts(51));
      much.releaseAll();
      assertTrue(little.lasts(100));
    }
  }

  @Test
  void greedyPrincipalWaitsAndTheOtherDoesNot() {
    HeldBytes held = new HeldBytes(100, 1_000_000);
    AtomicInteger greedy = new AtomicInteger();
    AtomicInteger modest = new AtomicInteger();
    try (HeldBytes.Share much = held.share("greedy");
        HeldBytes.Share little = held.share("modest")) {
      assertTrue(much.add(60));
      assertTrue(little.add(10));
      much.whenRoom(greedy::incrementAndGet);
      little.whenRoom(modest::incrementAndGet);
      assertEquals(0, greedy.get());
      assertEquals(1, modest.get());
      assertFalse(much.add(40));
      assertTrue(little.add(20));
    }
    assertEquals(0, held.total());
    assertEquals(0, greedy.get(), "a stream that is over reads no further");
  }

  @Test
  void longestWaitingResumesWhenOthersRelease() {
    HeldBytes held = new HeldBytes(100, 1_000_000);
    StringBuilder order = new StringBuilder();
    HeldBytes.Share first = held.share("a");
    HeldBytes.Share second = held.share("a");
    HeldBytes.Share third = held.share("a");
    assertTrue(first.add(60));
    second.whenRoom(() -> order.append("2"));
    third.whenRoom(() -> order.append("3"));
    assertEquals("", order.toString());
    first.close();
    assertEquals("23", order.toString());
    second.close();
    third.close();
  }

  @Test
  void closedShareCountsNothing() {
    HeldBytes held = new HeldBytes(100, 1_000_000);
    HeldBytes.Share share = held.share("a");
    share.close();
    assertTrue(share.add(1000));
    assertEquals(0, held.total());
    share.close();
  }

  @Test
  void tellsOnceThenCutsOff() {
    HeldBytes held = new HeldBytes(10, 1_000_000);
    AtomicInteger tooLarge = new AtomicInteger();
    AtomicInteger overflow = new AtomicInteger();
    Arriving arriving = new Arriving();
    arriving.inboundWireSize(1 << 20);
    arriving.countIn(
        held.share("a"),
        8,
        new Arriving.Refusal() {
          @Override
          public void tooLarge() {
            tooLarge.incrementAndGet();
          }

          @Override
          public void overflow() {
            overflow.incrementAndGet();
          }
        });
    arriving.inboundWireSize(4);
    assertEquals(0, tooLarge.get());
    arriving.inboundWireSize(5);
    arriving.inboundWireSize(1);
    assertEquals(1, tooLarge.get());
    assertEquals(0, overflow.get());
    arriving.inboundWireSize(1);
    assertEquals(1, overflow.get());
    arriving.inboundMessageRead(0, 11, 11);
    arriving.inboundWireSize(9);
    assertEquals(2, tooLarge.get());
    assertEquals(1, overflow.get());
    assertThrows(
        StatusRuntimeException.class, () -> arriving.inboundWireSize(Arriving.GRACE_BYTES));
  }

  @Test
  void countsCallsPerPrincipalAndInAll() {
    Calls calls = new Calls(2, 3);
    calls.begin("a");
    calls.begin("a");
    assertEquals(
        "too-many-calls", assertThrows(WingsException.class, () -> calls.begin("a")).code());
    calls.begin("b");
    assertThrows(WingsException.class, () -> calls.begin("c"));
    calls.end("a");
    calls.begin("c");
    assertEquals(3, calls.total());
    calls.end("a");
    calls.end("b");
    calls.end("c");
    assertEquals(0, calls.total());
  }
}
