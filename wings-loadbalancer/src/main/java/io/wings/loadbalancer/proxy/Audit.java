package io.wings.loadbalancer.proxy;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.wings.common.auth.Identity;
import io.wings.common.grant.Scope;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One line of JSON for every administrative act that a client asks for, in a log of its own. */
final class Audit {
  private static final Logger log = LoggerFactory.getLogger("wings.audit");
  private static final ObjectMapper JSON = new ObjectMapper();

  private Audit() {}

  /**
   * Notes one before it is done.
   *
   * @param allowed whether it goes on to be done
   */
  static void act(Identity who, String what, Scope on, boolean allowed) {
    ObjectNode line = JSON.createObjectNode().put("who", who.principal()).put("what", what);
    on.path().forEach(line.putArray("on")::add);
    log.info("{}", line.put("allowed", allowed));
  }
}
