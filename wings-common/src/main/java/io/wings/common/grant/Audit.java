package io.wings.common.grant;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.auth.Identity;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line of JSON for every administrative act that a client asks for, in a log of its own, which
 * says when.
 */
public final class Audit {
  /** The log's name. */
  public static final String LOG = "wings.audit";

  private static final Logger log = LoggerFactory.getLogger(LOG);
  private static final ObjectMapper JSON = new ObjectMapper();

  private Audit() {}

  /**
   * Notes an act before it is done.
   *
   * @param from the address that the request came from
   * @param allowed whether it goes on to be done
   */
  public static void act(
      Identity who, @Nullable SocketAddress from, String what, Scope on, boolean allowed) {
    log.info("{}", line(who, from, what, on).put("allowed", allowed));
  }

  /**
   * The same for an act that gives a thing another name.
   *
   * @param to the name that it gets
   */
  public static void rename(
      Identity who,
      @Nullable SocketAddress from,
      String what,
      Scope on,
      Scope to,
      boolean allowed) {
    ObjectNode line = line(who, from, what, on);
    to.path().forEach(line.putArray("to")::add);
    log.info("{}", line.put("allowed", allowed));
  }

  private static ObjectNode line(
      Identity who, @Nullable SocketAddress from, String what, Scope on) {
    ObjectNode line =
        JSON.createObjectNode()
            .put("who", who.principal())
            .put("from", address(from))
            .put("what", what);
    on.path().forEach(line.putArray("on")::add);
    return line;
  }

  private static String address(@Nullable SocketAddress from) {
    return from instanceof InetSocketAddress internet && internet.getAddress() != null
        ? internet.getAddress().getHostAddress()
        : String.valueOf(from);
  }
}
