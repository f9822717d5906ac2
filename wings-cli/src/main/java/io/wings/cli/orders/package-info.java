/** Generated orders: reproducible rows of many types for demos and load. */
@NullMarked
package io.wings.cli.orders;

import org.jspecify.annotations.NullMarked;
