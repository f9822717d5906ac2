/** A store in memory, for tests and simulations: strongly consistent, gone with its process. */
@NullMarked
package io.wings.common.objectstore.memory;

import org.jspecify.annotations.NullMarked;
