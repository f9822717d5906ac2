/**
 * Who a client is. Tokens are known by their SHA-256 only, compared in constant time, and never
 * logged.
 */
@NullMarked
package io.wings.common.auth;

import org.jspecify.annotations.NullMarked;
