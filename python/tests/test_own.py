"""Policies written in Python."""

from __future__ import annotations

import importlib.util
import linecache
import sys
from pathlib import Path

import numpy as np
import pytest

import rankduel as rd


class Uniform(rd.Policy):
    """Any two arms; recommends the one that won most."""

    def __init__(self, arms: int, rng: np.random.Generator) -> None:
        super().__init__(arms, rng)
        self.won = [0] * arms
        self.steps: list[int] = []

    def choose(self, step: int) -> tuple[int, int]:
        self.steps.append(step)
        return int(self.rng.integers(self.arms)), int(self.rng.integers(self.arms))

    def learn(self, step: int, winner: int, loser: int) -> None:
        assert step == self.steps[-1]
        self.won[winner] += winner != loser

    def recommend(self) -> int | None:
        return max(range(self.arms), key=self.won.__getitem__)


def test_it_plays_like_all_others(site: rd.Site) -> None:
    study = rd.bandit("arithmetic:k=5", ["random", Uniform], steps=12_000, runs=4, seed=2)
    assert study.labels == ["random", "Uniform"]
    random, uniform = (entry["regret"]["mean"] for entry in study.summary)
    # Both choose uniformly, so that their regret per step has one mean; it is known to a few per cent.
    assert abs(uniform / random - 1) < 0.05
    # The best arm wins 240 duels more than the next, 4.6 standard deviations.
    assert study.summary[1]["share_recommending_best"] == 1.0
    live = site.live([Uniform, "random"], steps=500, runs=2)
    assert live.labels[0] == "Uniform" and live.summary[0]["steps"] == 500
    compared = site.compare(algorithms=[Uniform], impressions_per_pair=200, steps=300, runs=2)
    assert compared.live.labels == compared.proxy.labels == ["Uniform"]


def test_the_seed_decides_and_threads_do_not() -> None:
    def runs(**settings: int) -> rd.Frame:
        return rd.bandit("arithmetic:k=5", Uniform, steps=500, runs=4, **settings).runs

    assert runs(seed=1) == runs(seed=1, threads=2) == runs(seed=1, threads=1)
    assert runs(seed=1) != runs(seed=2)


def test_built_ins_are_the_same_beside_it() -> None:
    alone = rd.bandit("arithmetic:k=5", "rucb", steps=500, runs=2).runs
    beside = rd.bandit("arithmetic:k=5", [Uniform, "rucb"], steps=500, runs=2).runs
    assert alone.to_csv().splitlines()[1:] == beside.to_csv().splitlines()[3:]


def test_a_version_is_part_of_name_and_seed() -> None:
    class First(Uniform):
        name = "mine"
        version = "1"

    class Second(First):
        version = "2"

    first, second = (rd.bandit("arithmetic:k=5", one, steps=500, runs=1) for one in (First, Second))
    assert (first.algorithms, second.algorithms) == (["python-mine:version=1"], ["python-mine:version=2"])
    assert second.labels == ["mine"]
    assert list(first.curves["mean_regret"]) != list(second.curves["mean_regret"])
    with pytest.raises(ValueError, match="is given twice"):
        rd.bandit("arithmetic:k=5", [First, First], steps=10)
    bare = type("Bare", (Uniform,), {"name": "mine"})
    with pytest.raises(ValueError, match="would both be called mine in tables"):
        rd.bandit("arithmetic:k=5", [First, bare], steps=10)


def test_what_is_not_a_class_is_refused() -> None:
    one = Uniform(5, np.random.default_rng(1))
    with pytest.raises(TypeError, match="found an object of the class Uniform; give the class"):
        rd.bandit("arithmetic:k=5", [one], steps=10)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="expected names"):
        rd.bandit("arithmetic:k=5", [object], steps=10)  # type: ignore[list-item]


def test_a_folder_refuses_other_code_of_the_same_version(tmp_path: Path) -> None:
    path = tmp_path / "ours.py"

    def run(pair: str, *, explore: bool = False) -> rd.Study | rd.Findings:
        path.write_text(f"import rankduel as rd\nclass Ours(rd.Policy):\n    version = '1'\n    def choose(self, step):\n        return {pair}\n")
        linecache.clearcache()
        spec = importlib.util.spec_from_file_location("ours", path)
        assert spec is not None and spec.loader is not None
        ours = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(ours)
        # Where the source of a class is looked up.
        sys.modules["ours"] = ours
        if explore:
            return rd.explore("arithmetic:k=5", [ours.Ours, "rucb"], horizons=[10, 100], runs=2, out=tmp_path / "explored")
        return rd.bandit("arithmetic:k=5", [ours.Ours, "rucb"], steps=100, runs=2, out=tmp_path / "study")

    try:
        first = run("0, 1")
        assert run("0,   1  # as before").runs == first.runs
        with pytest.raises(ValueError, match="holds runs of `Ours` whose code was different; give it another version"):
            run("1, 1")
        run("0, 1", explore=True)
        with pytest.raises(ValueError, match="whose code was different"):
            run("1, 1", explore=True)
    finally:
        sys.modules.pop("ours", None)


class Broken(rd.Policy):
    """Fails as it is told."""

    answer: object = None

    def choose(self, step: int) -> tuple[int, int]:
        if step < 100:
            return 0, 1
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("answer", "error", "message"),
    [
        (KeyError("mine"), KeyError, "mine"),
        (3, TypeError, "expected a pair of arms"),
        ((0, 1, 2), TypeError, "expected a pair of arms"),
        ((0, 9), ValueError, "choose() returned arm 9, but arms are 0 to 4"),
        ((0, -1), ValueError, "choose() returned arm -1"),
        ((0, "b"), TypeError, "choose() returned 'b' as an arm"),
        ((0, True), TypeError, "choose() returned True as an arm"),
        ("01", TypeError, "expected a pair of arms"),
    ],
)
def test_its_exceptions_reach_the_caller(answer: object, error: type[Exception], message: str) -> None:
    class Wrong(Broken):
        pass

    Wrong.answer = answer
    with pytest.raises(error) as raised:
        rd.bandit("arithmetic:k=5", ["rucb", Wrong], steps=1000, runs=4)
    assert message in str(raised.value)
    # Nothing is left behind: the next call works.
    assert len(rd.bandit("arithmetic:k=5", ["random", Uniform], steps=100, runs=2).runs) == 4


def test_without_choose() -> None:
    with pytest.raises(NotImplementedError):
        rd.bandit("arithmetic:k=5", rd.Policy, steps=10)
    with pytest.raises(TypeError, match="subclasses of rd.Policy, found <class 'object'>"):
        rd.bandit("arithmetic:k=5", [object], steps=10)  # type: ignore[list-item]


def test_a_list_or_an_array_is_a_pair_too() -> None:
    class Listed(Uniform):
        def choose(self, step: int) -> tuple[int, int]:
            return [0, 1] if step % 2 else np.array([2, 3])  # type: ignore[return-value]

        def learn(self, step: int, winner: int, loser: int) -> None:
            pass

    class Paired(Listed):
        name = "Listed"

        def choose(self, step: int) -> tuple[int, int]:
            return (0, 1) if step % 2 else (2, 3)

    listed, paired = (rd.bandit("arithmetic:k=5", one, steps=300, runs=2) for one in (Listed, Paired))
    assert list(listed.curves["mean_regret"]) == list(paired.curves["mean_regret"])


def test_its_mistakes_are_named_by_what_made_them() -> None:
    class Recommends(Uniform):
        def recommend(self) -> int:
            return 99

    with pytest.raises(ValueError, match=r"recommend\(\) returned arm 99"):
        rd.bandit("arithmetic:k=5", Recommends, steps=100, runs=1)

    class Forgets(Uniform):
        def __init__(self, arms: int, rng: np.random.Generator) -> None:
            self.mine = arms

    with pytest.raises(TypeError, match=r"Forgets.__init__ must call super\(\).__init__\(arms, rng\)"):
        rd.bandit("arithmetic:k=5", Forgets, steps=100, runs=1)
