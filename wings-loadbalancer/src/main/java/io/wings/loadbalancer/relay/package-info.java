/**
 * One DoPut stream that outlives its ingestors: what is kept of it, where it is open, and what
 * follows from what happens. Events in, actions out; no transport, no clock, no threads.
 *
 * <p>Invariants:
 *
 * <ul>
 *   <li>A batch is kept until an ingestor has answered it, with the schema and the dictionaries
 *       that it was written against; nothing is dropped, and what is kept is bounded by not reading
 *       on.
 *   <li>Batches are sent in order. After an abrupt end all that is unanswered is sent again; a
 *       batch was with at most three dying ingestors, the third time as the only stream of its
 *       kind. Every abrupt end counts as a death until the ingestor was seen to outlive it; with
 *       three, nothing is sent until that is known of one of them.
 *   <li>No batch is sent before the ingestor has said which table, log and epoch the stream has
 *       there, except the first one of a stream that may make its table. So whatever is sent again
 *       meets the log that it was sent to before, or ends the stream.
 *   <li>Each batch is told to the client once.
 *   <li>Bodies are never looked into; of headers only the kind, a dictionary's id and whether it
 *       adds to the one before.
 * </ul>
 */
@NullMarked
package io.wings.loadbalancer.relay;

import org.jspecify.annotations.NullMarked;
