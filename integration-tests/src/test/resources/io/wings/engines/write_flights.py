"""Streams an Arrow IPC file into main.real.flights and prints what it sent, as one line of JSON."""

import json
import sys

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.flight as flight

table = pa.ipc.open_file(sys.argv[1]).read_all()
client = flight.connect("grpc://127.0.0.1:8815")
request = {"catalog": "main", "namespace": ["real"], "table": "flights", "create": "if-missing"}
writer, results = client.do_put(
    flight.FlightDescriptor.for_command(json.dumps(request)), table.schema
)
with writer:
    acked = 0
    batches = table.to_batches()
    for batch in batches:
        writer.write_batch(batch)
    writer.done_writing()
    while acked < len(batches):
        result = json.loads(results.read().to_pybytes())
        assert result["status"] == "durable", result
        acked = result["through"]

figures = {"rows": table.num_rows}
for column in ("delay", "distance"):
    figures[column + "_sum"] = pc.sum(table[column]).as_py()
for column in ("delay", "distance", "time"):
    figures[column + "_min"] = pc.min(table[column]).as_py()
    figures[column + "_max"] = pc.max(table[column]).as_py()
print(json.dumps(figures, sort_keys=True))
