"""A stock client of a cluster that is installed by the chart: writes by TLS and token, reads by the REST catalog alike.

Arguments: server, file of its authority, file of a token, the catalog's URI, PyIceberg's properties as JSON, rows.
"""

import json
import os
import sys

import pyarrow as pa
import pyarrow.flight as flight
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import UnauthorizedError

server, authority, token, catalog, properties, rows = sys.argv[1:]
with open(authority, "rb") as file:
    client = flight.connect(server, tls_root_certs=file.read())
with open(token, "rb") as file:
    bearer = file.read()
known = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer " + bearer)])
request = {"catalog": "main", "namespace": ["shop"], "table": "orders", "create": "if-missing", "ack": "visible"}
descriptor = flight.FlightDescriptor.for_command(json.dumps(request))
ids = range(int(rows))
batch = pa.record_batch({"id": pa.array(ids, pa.int64()), "city": [f"Zürich {i}" for i in ids]})

writer, results = client.do_put(descriptor, batch.schema, known)
with writer:
    writer.write_batch(batch)
    writer.done_writing()
    answer = json.loads(results.read().to_pybytes())
assert answer["status"] == "visible", answer

stranger = flight.FlightCallOptions(headers=[(b"authorization", b"Bearer guessed")])
try:
    list(client.do_action(flight.Action("list-tables", b'{"catalog":"main"}'), stranger))
    raise AssertionError("a stranger is served")
except flight.FlightUnauthenticatedError:
    pass

# Before PyIceberg's own "ssl", where a machine sets it.
os.environ["REQUESTS_CA_BUNDLE"] = authority
reader = {"uri": catalog, "warehouse": "main", **json.loads(properties)}
try:
    load_catalog("main", **{**reader, "token": "guessed"})
    raise AssertionError("a stranger reads")
except UnauthorizedError:
    pass
table = load_catalog("main", **{**reader, "token": bearer.decode()}).load_table("shop.orders")
found = table.scan().to_arrow().sort_by("id")
assert found.to_pylist() == batch.to_pylist(), found
print(found.num_rows)
