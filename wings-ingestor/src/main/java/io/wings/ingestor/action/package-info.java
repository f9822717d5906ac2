/**
 * What clients ask of tables beside streaming into them: Flight's actions and look-ups.
 *
 * <p>Invariant: an answer about what is durable or visible rests on the lane or on freshly loaded
 * table metadata, never on what this process remembers.
 */
@NullMarked
package io.wings.ingestor.action;

import org.jspecify.annotations.NullMarked;
