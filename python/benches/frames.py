"""Measures `credit_frame` and `Site.from_runs` on frames of every library: CPU time per row, and memory.

python benches/frames.py [rows ...], with a release build, on a machine that does nothing else; by default 10^6 rows.

Each line is a process of its own. Time is the least of three tries. Memory is what is resident beyond the libraries: of the
frames alone (`input`), and at most during the first call (`peak`), which includes the frames.
"""

from __future__ import annotations

import ctypes
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

# The package that is installed, not its sources.
_PLACE = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
sys.path[:] = [folder for folder in sys.path if os.path.realpath(folder or ".") != _PLACE]

TRIES = 3
SHOWN = 10
DOCUMENTS = 100_000
KINDS = ("arrow", "polars", "pandas", "pandas-lists", "duckdb")
"""`pandas` holds lists as arrays, as read from Parquet, `pandas-lists` as lists of texts of their own, as read from JSON."""


def resident(field: str) -> float:
    """Megabytes of this process: ``VmRSS`` now, ``VmHWM`` at most."""
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) / 1024 for line in file if line.startswith(field))


def settle() -> float:
    """What is resident after everything that is free was given back; the peak begins again."""
    gc.collect()
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    ctypes.CDLL(None).malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")
    return resident("VmRSS")


def numbered(prefix: str, numbers: Any) -> Any:
    """Texts of a prefix and a number."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(prefix, pc.cast(pa.array(numbers), pa.string()), "")


def log(rows: int) -> list[Any]:
    """Impressions of ten documents and their clicks, one each: made up."""
    import numpy as np
    import pyarrow as pa

    place = np.arange(rows, dtype=np.int64)
    names = numbered("d", np.arange(DOCUMENTS))
    first = place * 7919 % DOCUMENTS
    shown = ((first[:, None] + np.arange(SHOWN)) % DOCUMENTS).astype(np.int32)
    ends = pa.array(np.arange(0, SHOWN * rows + 1, SHOWN, dtype=np.int32))
    teams = pa.array(["A", "B"]).take(pa.array(np.tile(np.arange(SHOWN) % 2, rows).astype(np.int8)))
    ids = numbered("impression-", place)
    impressions = pa.table(
        {
            "impression": ids,
            "time": 1_700_000_000 + place,
            "user": numbered("user-", place // 5),
            "shown": pa.ListArray.from_arrays(ends, names.take(pa.array(shown.ravel()))),
            "teams": pa.ListArray.from_arrays(ends, teams),
        }
    )
    clicked = names.take(pa.array(shown[place, place % SHOWN]))
    return [impressions, pa.table({"impression": ids, "document": clicked, "time": 1_700_000_001 + place})]


def runs(rows: int) -> list[Any]:
    """Two runs of a hundred documents per query, and judgements of a tenth: made up."""
    import numpy as np
    import pyarrow as pa

    place = np.arange(rows, dtype=np.int64)
    query, rank = numbered("q", place // 100), place % 100
    names = numbered("d", np.arange(DOCUMENTS))
    first = (place // 100) * 7919
    tables = []
    for step in (1, 3):
        documents = names.take(pa.array((first + rank * step) % DOCUMENTS))
        scores = 50.0 - rank + 0.001 * (place % 7)
        tables.append(pa.table({"qid": query, "docno": documents, "score": scores}))
    kept = pa.array(rank % 10 == 0)
    judged = tables[0].filter(kept).drop_columns(["score"])
    return [*tables, judged.append_column("label", pa.array((place[kept.to_numpy(zero_copy_only=False)] // 10 % 3)))]


def of_kind(kind: str, table: Any) -> Any:
    """The table as a frame of a library."""
    if kind == "polars":
        import polars

        return polars.DataFrame(table)
    if kind.startswith("pandas"):
        frame: Any = table.to_pandas()
        if kind == "pandas-lists":
            for name in frame.columns:
                if table.schema.field(name).type.num_fields:
                    frame[name] = [json.loads(json.dumps(list(values))) for values in frame[name]]
        return frame
    if kind == "duckdb":
        import duckdb

        duckdb.sql("set threads to 1")
        name = f"t{id(table)}"
        duckdb.from_arrow(table).create(name)
        return duckdb.table(name)
    return table


def one(function: str, kind: str, rows: int) -> dict[str, Any]:
    """Time and memory of one function for frames of one kind."""
    import pyarrow.compute  # noqa: F401

    import rankduel as rd

    if kind.startswith("pandas") or kind == "polars":
        __import__(kind.split("-")[0])
    before = settle()
    tables = (log if function == "credit_frame" else runs)(rows)
    frames = [of_kind(kind, table) for table in tables]
    del tables
    with_frames = settle()

    def call() -> Any:
        if function == "credit_frame":
            return rd.credit_frame(*frames, final=True)
        return rd.Site.from_runs({"a": frames[0], "b": frames[1]}, frames[2], synthetic=True)

    took = []
    peak = 0.0
    result = b""
    for attempt in range(TRIES if rows < 5_000_000 else 1):
        wall, start = time.perf_counter(), time.process_time()
        found = call()
        took.append((time.process_time() - start, time.perf_counter() - wall))
        if attempt == 0:
            peak = resident("VmHWM")
            result = found.outcomes.to_csv() if function == "credit_frame" else found.ndcg().tobytes()
        del found
    import hashlib

    count = rows if function == "credit_frame" else sum(map(len, frames)) if kind != "duckdb" else 2 * rows + rows // 10
    return {
        "us": 1e6 * min(cpu for cpu, _ in took) / count,
        "wall": 1e6 * min(wall for _, wall in took) / count,
        "input": with_frames - before,
        "peak": peak - before,
        "result": hashlib.sha256(result).hexdigest()[:8],
    }


def main() -> None:
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(sys.argv[2], sys.argv[3], int(sys.argv[4]))))
        return
    show: Callable[..., str] = "{:<13} {:<13} {:>10} {:>9} {:>9} {:>9} {:>9} {:>6}  {}".format
    print(show("function", "frames", "rows", "CPU us", "wall us", "input MB", "peak MB", "ratio", "result"))
    for rows in [int(float(word)) for word in sys.argv[1:]] or [1_000_000]:
        for function in ("credit_frame", "from_runs"):
            for kind in KINDS:
                if function == "from_runs" and kind == "pandas-lists":
                    continue
                words = [sys.executable, os.path.realpath(__file__), "--one", function, kind, str(rows)]
                done = subprocess.run(words, capture_output=True, text=True, check=False)
                if done.returncode != 0:
                    print(show(function, kind, rows, "-", "-", "-", "-", "-", done.stderr.strip().splitlines()[-1][:90]), flush=True)
                    continue
                found = json.loads(done.stdout)
                cells = (f"{found['us']:.3f}", f"{found['wall']:.3f}", f"{found['input']:.0f}", f"{found['peak']:.0f}")
                print(show(function, kind, rows, *cells, f"{found['peak'] / found['input']:.2f}", found["result"]), flush=True)


if __name__ == "__main__":
    main()
