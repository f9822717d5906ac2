"""Waits until a table has a number of rows, by PyIceberg's metadata, then checks the distinct rows."""

import sys
import time

from pyiceberg.catalog import load_catalog

warehouse, name, expected = sys.argv[1], sys.argv[2], int(sys.argv[3])
catalog = load_catalog(warehouse, uri="http://127.0.0.1:8181", warehouse=warehouse)
deadline = time.monotonic() + 120
rows = -1
while time.monotonic() < deadline:
    snapshot = catalog.load_table(name).current_snapshot()
    rows = int(snapshot.summary.additional_properties.get("total-records", 0)) if snapshot else 0
    if rows >= expected:
        break
    time.sleep(0.5)
rows = catalog.load_table(name).scan().to_arrow().num_rows
assert rows == expected, f"{name}: expected {expected} rows, got {rows}"
