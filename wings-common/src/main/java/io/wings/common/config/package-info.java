/**
 * Settings as people write them: byte sizes, durations, addresses, and what they meant when they
 * misspelt one.
 *
 * <p>Invariant: nothing is guessed. A value without a unit, an unknown key and an address that
 * others can't dial are errors that say what was expected.
 */
@NullMarked
package io.wings.common.config;

import org.jspecify.annotations.NullMarked;
