/** The log as tests read it. */
@NullMarked
package io.wings.common.log;

import org.jspecify.annotations.NullMarked;
