"""Behaviour of calls: Ctrl-C, progress, errors, threads, forks, pickles."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import rankduel as rd

LONG = {
    "reading": "open_pipe(folder)",
    "ranking": "rd.Site('mslr-lookalike:0.3', use_cache=False)",
    "truth": "small.truth(effort=1000)",
    "playing on a matrix": "rd.bandit('btl:k=200', ['rucb', 'dts'], steps=10**9, runs=8)",
    "playing live": "small.live(['rucb', 'mdb'], steps=10**9, runs=4, truth_effort=0.01)",
    "comparing pairs": "small.proxy(impressions_per_pair=10**8)",
    "methods": "small.sensitivity(compared=3, draws=10**6)",
    "distortion": "small.distortion(sets=10**6, multileavings=10**6, truth_effort=0.01)",
    "a policy": "rd.bandit('btl:k=20', Own, steps=10**9, runs=2)",
    "a policy in one thread": "rd.bandit('btl:k=20', Own, steps=10**9, runs=2, threads=1)",
    "a command": "rd.command('bandit', '--problem', 'btl:k=50', '--steps', '1e9', '--quiet', '--out', folder + '/x')",
}


@pytest.mark.parametrize("phase", LONG)
def test_ctrl_c_is_heard_within_half_a_second(phase: str, tmp_path: Path) -> None:
    """In a process of its own, which says how long it took from the signal to the exception."""
    code = f"""
        import itertools, os, signal, sys, threading, time
        import rankduel as rd

        folder = {str(tmp_path)!r}

        class Own(rd.Policy):
            def choose(self, step):
                return 0, 1

        def open_pipe(folder):
            path = folder + "/endless.txt"
            os.mkfifo(path)
            def write():
                with open(path, "w") as pipe:
                    for query in itertools.count():
                        pipe.write(f"1 qid:{{query}} 1:0.5 2:{{query}}\\n0 qid:{{query}} 1:0.25 2:1\\n")
                        pipe.flush()
                        time.sleep(0.001)
            threading.Thread(target=write, daemon=True).start()
            rd.Site(path, use_cache=False)

        small = rd.Site("mq2008-lookalike:0.05", rankers="1,5,10,20")
        at = []

        def ring():
            time.sleep(0.4)
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        threading.Thread(target=ring, daemon=True).start()
        try:
            {LONG[phase]}
        except KeyboardInterrupt:
            print(time.monotonic() - at[0])
            sys.stdout.flush()
            os._exit(0)
        sys.exit("nobody interrupted it")
    """
    # The promise is half a second, which RANKDUEL_PATIENCE=1 holds it to; a loaded machine gets more, and more than one try.
    promised = 0.5 * float(os.environ.get("RANKDUEL_PATIENCE", "4"))
    waited: list[float] = []
    while not waited or (waited[-1] >= promised and len(waited) < 3):
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stderr
        waited.append(float(done.stdout))
    assert waited[-1] < promised, waited


def test_calls_go_on_after_ctrl_c() -> None:
    def ring() -> None:
        time.sleep(0.2)
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=ring).start()
    with pytest.raises(KeyboardInterrupt):
        rd.bandit("btl:k=50", ["random"], steps=10**9, runs=4)
    assert len(rd.bandit("btl:k=5", ["rucb"], steps=100, runs=2).runs) == 2


class Own(rd.Policy):
    def choose(self, step: int) -> tuple[int, int]:
        return 0, 1


@pytest.mark.parametrize(("policy", "steps"), [("random", 3_000_000), (Own, 300_000)])
def test_other_threads_run_meanwhile(policy: str | type[rd.Policy], steps: int) -> None:
    """Also while a policy written in Python plays, which needs the interpreter all the time."""
    beats = 0
    done = threading.Event()

    def beat() -> None:
        nonlocal beats
        while not done.is_set():
            beats += 1
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    start = time.monotonic()
    rd.bandit("btl:k=50", policy, steps=steps, runs=4, threads=1)
    seconds = time.monotonic() - start
    done.set()
    thread.join()
    assert beats > 5 * seconds, (beats, seconds)


def test_several_threads_may_call(site: rd.Site) -> None:
    expected = site.live(["rucb"], steps=500, runs=2).runs
    found: list[rd.Frame] = []
    threads = [threading.Thread(target=lambda: found.append(site.live(["rucb"], steps=500, runs=2).runs)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [expected] * 4


def test_progress_is_told() -> None:
    heard: list[tuple[str, int, int]] = []
    rd.bandit("btl:k=50", ["rucb"], steps=200_000, runs=4, progress=lambda *state: heard.append(state))
    assert heard[-1] == ("playing", 800_000, 800_000)
    assert all(done <= total for _, done, total in heard)


def test_bars(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tqdm")
    rd.bandit("btl:k=5", ["rucb"], steps=2_000, runs=2, progress=True)
    assert "playing: 100%" in capsys.readouterr().err


def test_an_exception_of_the_progress_function_stops_the_work() -> None:
    def enough(what: str, done: int, total: int) -> None:
        raise InterruptedError(what)

    with pytest.raises(InterruptedError, match="playing"):
        rd.bandit("btl:k=50", ["random"], steps=10**9, runs=4, progress=enough)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rd.Site("nosuch.txt"), FileNotFoundError, "nosuch.txt"),
        (lambda: rd.Matrix.open("nosuch.npy"), FileNotFoundError, "failed to read the matrix nosuch.npy"),
        (lambda: rd.Site("mq2008-lookalike:0.05", click="prefect"), ValueError, "did you mean"),
        (lambda: rd.Site("mq2008-lookalike:0.05", rankers="1,500"), ValueError, "rankers 1,500"),
        (lambda: rd.Site("mq2008-lookalike:0.05", rankers=[3]), ValueError, "only feature 3 is left"),
        (lambda: rd.Site("mq2008-lookalike:-1"), ValueError, "scale"),
        (lambda: rd.bandit("btl:k=5", "rucbb"), ValueError, "no algorithm is called `rucbb`; did you mean `rucb`?"),
        (lambda: rd.bandit("btl:k=5", "rucb", regret="ndcg"), ValueError, "needs documents with labels"),
        (lambda: rd.bandit("btl:k=5", "rucb", regret="regrets"), ValueError, "regrets"),
        (lambda: rd.bandit("btl:k=5", "rucb", steps=0), ValueError, "steps: expected at least 1"),
        (lambda: rd.bandit("btll:k=5"), ValueError, "btll"),
        (lambda: rd.bandit("btl:k=5", "rucb", axes="up"), ValueError, "axes: expected linear, log-x or log"),
        (lambda: rd.Matrix([[0.5, 0.7], [0.4, 0.5]]), ValueError, "1.1"),
        (lambda: rd.Matrix([[0.5, 0.7]]), ValueError, "square, found 1 x 2"),
        (lambda: rd.Matrix([0.5]), ValueError, "two dimensions, found 1"),
        (lambda: rd.bandit("normal:k=10", "rucb").curves and rd.Matrix.problem("normal:k=10").values, ValueError, "utilities"),
        (lambda: rd.Site.from_arrays([[1.0, 2.0]], [0, 1], ["a"]), ValueError, "1 query ids, 2 labels and 1 rows"),
        (
            lambda: rd.Site.from_arrays([[1.0, 2.0]] * 3, [0, 1, 0], ["a", "b", "a"]),
            ValueError,
            "query a comes in two places",
        ),
        (lambda: rd.Site.from_frame({"qid": [1], "label": [0]}, rankers=["bm25"]), KeyError, "no column 'bm25'"),
    ],
)
def test_refusals(call: object, error: type[Exception], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(error) as raised:
        call()  # type: ignore[operator]
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_errors_in_files_have_a_place(tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_text("2 qid:1 1:0.5\n7 qid:1 1:0.25\n")
    with pytest.raises(ValueError, match=r"bad.txt:2:1: label `7` is out of range"):
        rd.Site(tmp_path / "bad.txt")


def test_own_rankers(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 400)
    scores = np.column_stack([labels + rng.normal(0, sd, 400) for sd in (0.3, 1.0, 5.0)])
    qids = np.repeat(np.arange(40), 10)
    site = rd.Site.from_arrays(scores, labels, qids, names=["good", "fair", "poor"], name="mine", synthetic=True)
    assert [site.arm_name(arm) for arm in range(3)] == ["good", "fair", "poor"]
    assert site.truth(effort=0.1).winner == 0 and site.synthetic
    assert site.ndcg()[0] > site.ndcg()[1] > site.ndcg()[2]
    # The same from a file of the same values.
    lines = [f"{label} qid:{qid} 1:{row[0]!r} 2:{row[1]!r} 3:{row[2]!r}" for label, qid, row in zip(labels, qids, scores.tolist())]
    (tmp_path / "mine.txt").write_text("\n".join(lines) + "\n")
    read = rd.Site(tmp_path / "mine.txt", use_cache=False)
    assert read.description["dataset"]["checksum"] == site.description["dataset"]["checksum"]
    shuffled = rng.permutation(400)
    columns = {"qid": qids[shuffled], "label": labels[shuffled], **{f"r{n}": scores[shuffled, n] for n in range(3)}}
    framed = rd.Site.from_frame(columns)
    assert framed.arm_name(2) == "r2" and np.allclose(np.sort(framed.ndcg()), np.sort(site.ndcg()))


def _in_child(queue: multiprocessing.queues.Queue[bytes], matrix: rd.Matrix) -> None:  # type: ignore[name-defined]
    queue.put(rd.bandit(matrix, ["rucb", "mdb"], steps=2000, runs=4).runs.to_csv())


@pytest.mark.parametrize("method", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
def test_children_may_call(method: str, matrix: rd.Matrix) -> None:
    expected = rd.bandit(matrix, ["rucb", "mdb"], steps=2000, runs=4).runs.to_csv()
    context = multiprocessing.get_context(method)
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue, matrix))
    child.start()
    try:
        assert queue.get(timeout=60) == expected
    finally:
        child.join(10)
        child.kill()


def test_everything_can_be_pickled(site: rd.Site, matrix: rd.Matrix, tmp_path: Path) -> None:
    def copied(value: object) -> object:
        return pickle.loads(pickle.dumps(value))

    again = copied(site)
    assert isinstance(again, rd.Site) and again.description == site.description
    array = rd.Site.from_arrays([[1.0, 2.0], [2.0, 1.0]], [0, 1], ["a", "a"], names=["x", "y"])
    same = copied(array)
    assert isinstance(same, rd.Site) and same.description == array.description
    study = site.live(["rucb"], steps=500, runs=2)
    other = copied(study)
    assert isinstance(other, rd.Study)
    assert (str(other), other.curves, other.summary, other.svg()) == (str(study), study.curves, study.summary, study.svg())
    other.save(tmp_path / "copy")
    assert (tmp_path / "copy/curves.csv").read_bytes() == study.curves.to_csv()
    for one in (matrix, matrix.subset([0, 2]), rd.Matrix([[0.5, 0.6], [0.4, 0.5]], name="mine"), rd.Matrix.problem("normal:k=9")):
        two = copied(one)
        assert isinstance(two, rd.Matrix) and (two.arms, two.name, two.synthetic) == (one.arms, one.name, one.synthetic)
    two = copied(copied(matrix))
    assert isinstance(two, rd.Matrix) and np.array_equal(two.wins, matrix.wins) and two.how == matrix.how
    assert str(rd.bandit(two, "rucb", steps=100, runs=1)) == str(rd.bandit(matrix, "rucb", steps=100, runs=1))
    assert copied(rd.analyse(matrix, samples=10)) == rd.analyse(matrix, samples=10)


def test_synthetic_data_say_so(site: rd.Site, matrix: rd.Matrix) -> None:
    note = "synthetic data"
    assert note in str(site.live(["random"], steps=10, runs=1)) and note in site.live(["random"], steps=10, runs=1).svg()
    assert note in str(rd.bandit(matrix, "random", steps=10, runs=1)) and "(synthetic)" in repr(site)
