package io.wings.broker.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.wings.broker.core.Command;
import io.wings.common.time.Time;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class InboxTest {
  private final Inbox inbox = new Inbox(Time.system(), new Strays(BrokerTiming.DEFAULT));
  private final List<Answer> answers = new ArrayList<>();

  private void add(long epoch) {
    inbox.add(epoch, new Call(new Command.ListTasks(), 0, answers::add));
  }

  @Test
  void takesOnlyCallsOfItsEpoch() throws Exception {
    add(1);
    inbox.open(1);
    add(1);
    add(2);
    assertEquals(List.of(new Answer.LookAgain(), new Answer.LookAgain()), answers);
    assertEquals(1, inbox.drain(Duration.ZERO).size());
    add(1);
    assertEquals(1, inbox.close().size());
    add(1);
    assertEquals(3, answers.size());
  }

  @Test
  void refusesMoreCallsThanItsLimit() throws Exception {
    inbox.open(1);
    for (int i = 0; i < Inbox.MAX_CALLS; i++) {
      add(1);
    }
    assertEquals(List.of(), answers);
    add(1);
    assertEquals(List.of(new Answer.Busy()), answers);
    int drained = inbox.drain(Duration.ZERO).size();
    add(1);
    assertEquals(2, answers.size());
    inbox.ended(drained);
    add(1);
    assertEquals(2, answers.size());
  }
}
