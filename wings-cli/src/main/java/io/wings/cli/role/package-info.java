/** The roles as commands: options to settings, and nothing else. */
@NullMarked
package io.wings.cli.role;

import org.jspecify.annotations.NullMarked;
