/**
 * Stock clients and readers against Wings: pyarrow, PyIceberg, Spark. Run by the profile engines.
 */
package io.wings.engines;
