package io.wings.common.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/**
 * What a logger has been told, INFO and above, until it is closed. A test that listens is
 * {@code @Isolated}: others' lines are among them.
 */
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final Level before;
  private final ListAppender<ILoggingEvent> heard = new ListAppender<>();

  private LogLines(String name) {
    logger = (Logger) LoggerFactory.getLogger(name);
    before = logger.getLevel();
    heard.start();
    logger.addAppender(heard);
    logger.setLevel(Level.INFO);
  }

  public static LogLines of(Class<?> owner) {
    return of(owner.getName());
  }

  public static LogLines of(String logger) {
    return new LogLines(logger);
  }

  public List<String> texts() {
    return List.copyOf(heard.list).stream().map(ILoggingEvent::getFormattedMessage).toList();
  }

  /** ERROR, WARN and so on, in the order of {@link #texts}. */
  public List<String> levels() {
    return List.copyOf(heard.list).stream().map(event -> event.getLevel().toString()).toList();
  }

  public void clear() {
    heard.list.clear();
  }

  @Override
  public void close() {
    logger.detachAppender(heard);
    logger.setLevel(before);
  }
}
