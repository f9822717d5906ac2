package io.wings.ingestor.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.grpc.Metadata;
import io.grpc.Status;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class InboundBytesTest {
  private final InboundBytes inbound = new InboundBytes(100);

  private InboundBytes.Share call() {
    return (InboundBytes.Share) inbound.newServerStreamTracer("flight/test", new Metadata());
  }

  private InboundBytes.Share stream() {
    InboundBytes.Share share = call();
    share.onOverflow(() -> {});
    return share;
  }

  @Test
  void anActionGivesItsBytesBackWhenItEnds() {
    AtomicInteger asked = new AtomicInteger();
    InboundBytes.Share action = call();
    action.inboundWireSize(60);
    stream().whenRoom(asked::incrementAndGet);
    assertEquals(0, asked.get());
    action.streamClosed(Status.OK);
    assertEquals(0, inbound.total());
    assertEquals(1, asked.get());
  }

  @Test
  void aStreamHoldsItsBytesUntilItIsDoneWithThem() {
    InboundBytes.Share stream = stream();
    stream.inboundWireSize(60);
    stream.streamClosed(Status.CANCELLED);
    assertEquals(60, inbound.total());
    stream.close();
    assertEquals(0, inbound.total());
  }
}
