"""Reads main.real.flights by PyIceberg and prints the figures that write_flights.py printed."""

import json

import pyarrow.compute as pc
from pyiceberg.catalog import load_catalog

catalog = load_catalog("main", uri="http://127.0.0.1:8181", warehouse="main")
table = catalog.load_table("real.flights").scan().to_arrow()
figures = {"rows": table.num_rows}
for column in ("delay", "distance"):
    figures[column + "_sum"] = pc.sum(table[column]).as_py()
for column in ("delay", "distance", "time"):
    figures[column + "_min"] = pc.min(table[column]).as_py()
    figures[column + "_max"] = pc.max(table[column]).as_py()
print(json.dumps(figures, sort_keys=True))
