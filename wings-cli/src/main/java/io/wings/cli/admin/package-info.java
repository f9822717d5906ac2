/** Commands of operators, which open the cluster's store themselves. */
@NullMarked
package io.wings.cli.admin;

import org.jspecify.annotations.NullMarked;
