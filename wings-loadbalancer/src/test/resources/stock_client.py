"""What stock pyarrow makes of a load balancer. Prints one line per observation, "name: value".

Arguments: port of an open load balancer, port of one that asks for tokens.
"""

import json
import sys
import time

import pyarrow as pa
import pyarrow.flight as flight

open_port, closed_port = sys.argv[1], sys.argv[2]
client = flight.connect(f"grpc://127.0.0.1:{open_port}")
# A small window, so that a few hundred unread results fill it.
small = flight.connect(
    f"grpc://127.0.0.1:{open_port}",
    generic_options=[("grpc.http2.lookahead_bytes", 65536), ("grpc.http2.bdp_probe", 0)],
)
closed = flight.connect(f"grpc://127.0.0.1:{closed_port}")
SCHEMA = pa.schema([("id", pa.int64())])


def batch(n=1):
    return pa.record_batch([pa.array(range(n), pa.int64())], schema=SCHEMA)


def say(name, value):
    print(f"{name}: {value}", flush=True)


def error_of(call):
    try:
        call()
    except Exception as e:
        # pyarrow may put words of its own before the message.
        message = str(e).split("with message: ")[-1]
        return f"{type(e).__name__} {message.split(':')[0]}"
    return "no error"


def describe(table, options=None, to=client):
    body = json.dumps({"catalog": "main", "namespace": ["web"], "table": table}).encode()
    return list(to.do_action(flight.Action("describe-table", body), options))


def command(**keys):
    request = {"catalog": "main", "namespace": ["web"], "table": "t", **keys}
    return flight.FlightDescriptor.for_command(json.dumps(request).encode())


def put(descriptor, batches, read=True, to=client):
    writer, reader = to.do_put(descriptor, SCHEMA)
    with writer:
        for _ in range(batches):
            writer.write_batch(batch())
        writer.done_writing()
        through = 0
        while read:
            buf = reader.read()
            if buf is None:
                break
            through = json.loads(buf.to_pybytes())["through"]
    return through


for kind in ["invalid", "not_found", "unsupported", "unauthenticated", "unavailable", "fenced",
             "corrupt", "internal"]:
    say(kind, error_of(lambda: describe(kind)))

say("by path", put(flight.FlightDescriptor.for_path("main", "web", "t"), 5))
say("by command", put(command(create="if-missing"), 7))
say("bad stream", error_of(lambda: put(command(partition="refused"), 5)))
say("bad stream unread", error_of(lambda: put(command(partition="refused"), 5, read=False)))
say("misspelt key", error_of(lambda: put(command(on_rejct="fail"), 1)))
say("batch that kills", error_of(lambda: put(command(partition="dies"), 5)))
while error_of(lambda: describe("t")) != "no error":
    time.sleep(0.05)


def large():
    writer, _ = client.do_put(command(), SCHEMA)
    with writer:
        writer.write_batch(batch(2_000_000))


say("too large", error_of(large))
say("never read", put(command(partition="count"), 4_000, read=False, to=small))
say("never read refused",
    error_of(lambda: put(command(partition="late"), 4_000, read=False, to=small)))
say("do get", error_of(lambda: client.do_get(flight.Ticket(b"x")).read_all()))
say("actions", ",".join(a.type for a in client.list_actions()))

say("no token", error_of(lambda: describe("t", to=closed)))
bearer = closed.authenticate_basic_token("etl", "secret")
say("basic token", len(describe("t", flight.FlightCallOptions(headers=[bearer]), closed)))
say("wrong token", error_of(lambda: closed.authenticate_basic_token("etl", "nope")))


class Login(flight.ClientAuthHandler):
    def authenticate(self, outgoing, incoming):
        outgoing.write(flight.BasicAuth("etl", "secret").serialize())
        self.token = incoming.read()

    def get_token(self):
        return self.token


closed.authenticate(Login())
say("handshake", len(describe("t", to=closed)))
