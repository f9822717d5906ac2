"""Sends one-row batches and never reads a result."""

import json
import sys

import pyarrow as pa
import pyarrow.flight as flight

count = int(sys.argv[1])
client = flight.connect("grpc://127.0.0.1:8815")
request = {"catalog": "main", "namespace": ["load"], "table": "unread", "create": "if-missing"}
schema = pa.schema([("id", pa.int64())])
writer, results = client.do_put(flight.FlightDescriptor.for_command(json.dumps(request)), schema)
for i in range(count):
    writer.write_batch(pa.record_batch([pa.array([i])], schema=schema))
writer.close()  # an OK status acknowledges all that was sent
