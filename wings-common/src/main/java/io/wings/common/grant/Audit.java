package io.wings.common.grant;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.auth.Identity;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One line of JSON for every administrative act, in a log of its own, which says when. Acts that
 * aren't asked for by name say in {@code via} how they came about.
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

  /**
   * Notes what is about to be done to a table for somebody who may do it and has asked for
   * something else.
   *
   * @param from the client's address
   * @param via what he has asked for
   */
  public static void meant(String principal, String from, String what, Scope on, String via) {
    log.info("{}", line(principal, from, what, on.path()).put("allowed", true).put("via", via));
  }

  /**
   * Notes what a command is about to do to the cluster's store, which nobody else allows it.
   *
   * @param user of the machine
   * @param host the machine
   * @param on what it is done to, level by level
   * @param details what else is to be known of it
   * @return the line
   */
  public static ObjectNode command(
      String user, String host, String what, List<String> on, Map<String, String> details) {
    ObjectNode line = line(user, host, what, on);
    details.forEach(line::put);
    line.put("allowed", true).put("via", "command");
    log.info("{}", line);
    return line;
  }

  private static ObjectNode line(
      Identity who, @Nullable SocketAddress from, String what, Scope on) {
    return line(who.principal(), address(from), what, on.path());
  }

  private static ObjectNode line(String who, String from, String what, List<String> on) {
    ObjectNode line = JSON.createObjectNode().put("who", who).put("from", from).put("what", what);
    on.forEach(line.putArray("on")::add);
    return line;
  }

  /** An address as the lines have it. */
  public static String address(@Nullable SocketAddress from) {
    return from instanceof InetSocketAddress internet && internet.getAddress() != null
        ? internet.getAddress().getHostAddress()
        : String.valueOf(from);
  }
}
