/**
 * State under compare-and-swap: the one CAS loop, the fenced object, the numbered create-only log.
 */
@NullMarked
package io.wings.common.cas;

import org.jspecify.annotations.NullMarked;
