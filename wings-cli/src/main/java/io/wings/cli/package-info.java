/**
 * The only {@code main}: {@code wings <role>}, {@code wings dev}, {@code wings demo} and the
 * administrative commands. Results go to stdout, everything else to stderr; unknown options are
 * errors with a suggestion.
 */
@NullMarked
package io.wings.cli;

import org.jspecify.annotations.NullMarked;
