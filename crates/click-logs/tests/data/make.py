"""Writes the tables of this folder, as pyarrow does: nested columns of UBI 1.3, in several row groups.

python make.py, with pyarrow 15 or later. The tests of the feature `parquet` read them.
"""

import pyarrow as pa
import pyarrow.parquet as pq

attributes = pa.struct({"teams": pa.list_(pa.string()), "rankers": pa.list_(pa.string()), "session_id": pa.int64()})
queries = pa.schema(
    {
        "application": pa.string(),
        "query_id": pa.string(),
        "client_id": pa.dictionary(pa.int8(), pa.string()),
        "user_query": pa.string(),
        "timestamp": pa.timestamp("ns", "UTC"),
        "query_response_hit_ids": pa.list_(pa.int32()),
        "query_attributes": attributes,
        "price": pa.decimal128(10, 2),
    }
)
events = pa.schema(
    {
        "action_name": pa.string(),
        "query_id": pa.large_string(),
        "timestamp": pa.timestamp("us", "UTC"),
        "event_attributes": pa.struct(
            {"object": pa.struct({"object_id": pa.int64(), "object_id_field": pa.string()}), "dwell_time": pa.float32()}
        ),
    }
)
START = 1_795_446_245_000_000_000
SECOND = 1_000_000_000
asked = [
    {
        "application": "shop",
        "query_id": f"q{number}",
        "client_id": f"c{number // 2}" if number != 3 else None,
        "timestamp": START + number * SECOND,
        "query_response_hit_ids": [10 * number, 10 * number + 1, 10 * number + 2],
        "query_attributes": {"teams": ["old", None, "new"], "rankers": ["old", "new"], "session_id": number}
        if number != 5
        else None,
    }
    for number in range(12)
]
done = [
    {
        "action_name": "click" if number != 4 else "scroll",
        "query_id": f"q{number}",
        "timestamp": (START + (number + 60) * SECOND) // 1000,
        "event_attributes": {"object": {"object_id": 10 * number + (2 if number % 3 else 0)}, "dwell_time": 30.0},
    }
    for number in range(12)
]
pq.write_table(pa.Table.from_pylist(asked, queries), "ubi_queries.parquet", row_group_size=5, compression="snappy")
pq.write_table(pa.Table.from_pylist(done, events), "ubi_events.parquet", row_group_size=4, compression="zstd")
