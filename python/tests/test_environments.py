"""Environments written in Python."""

from __future__ import annotations

import numpy as np
import pytest

import rankduel as rd


class Judge(rd.Environment):
    """Utilities, a bias for the answer shown first, and one tie in five."""

    arms = 5
    preferences = [[0.5 + 0.08 * (j - i) for j in range(5)] for i in range(5)]

    def duel(self, i: int, j: int) -> bool | str | None:
        if self.rng.random() < 0.2:
            return None
        return bool(self.rng.random() < self.preferences[i][j])


class Unknown(Judge):
    preferences = None

    def duel(self, i: int, j: int) -> bool | str | None:
        return "first" if self.rng.random() < 0.5 + 0.08 * (j - i) else "second"


def test_it_is_played_like_the_matrix_of_its_preferences() -> None:
    own = rd.bandit(Judge, ["rucb", "random", "mdb"], steps=20_000, runs=10)
    same = rd.bandit(np.array(Judge.preferences), ["random"], steps=20_000, runs=10)
    assert own.winners == [0] and own.summary[0]["share_recommending_best"] == 1.0
    # Both play any pair alike: their means differ by less than four standard errors.
    one, other = own.summary[1]["regret"], same.summary[0]["regret"]
    error = np.hypot(one["standard_error"], other["standard_error"])
    assert abs(one["mean"] - other["mean"]) < 4 * error


def test_the_seed_decides_and_threads_do_not() -> None:
    def runs(**settings: int) -> rd.Frame:
        return rd.bandit(Judge, ["rucb", "mdb"], steps=500, runs=3, **settings).runs

    assert runs(seed=1) == runs(seed=1, threads=1) == runs(seed=1, threads=2)
    assert runs(seed=1) != runs(seed=2)


def test_without_preferences_regret_is_unknown_and_no_recommendation_is_judged() -> None:
    study = rd.bandit(Unknown, "rucb", steps=20_000, runs=3)
    assert study.summary[0]["unknown"] is True
    assert "regret is unknown" in str(study)
    assert "100%" not in str(study)
    with pytest.raises(ValueError, match="Unknown states no preferences"):
        rd.bandit(Unknown, "rucb", steps=100, runs=1, regret="borda")


def test_faults_are_named(tmp_path: object) -> None:
    class Wrong(Judge):
        def duel(self, i: int, j: int) -> bool | str | None:
            return "neither of both"

    class Raises(Judge):
        def duel(self, i: int, j: int) -> bool | str | None:
            raise RuntimeError("the judge is asleep")

    class NeverStarts(Judge):
        def __init__(self, rng: np.random.Generator) -> None:
            raise RuntimeError("no judge came")

    class Nameless(rd.Environment):
        def duel(self, i: int, j: int) -> bool:
            return True

    class Alone(Judge):
        arms = 1
        preferences = None

    class Other(Judge):
        arms = 4

    with pytest.raises(ValueError, match=r"duel\(\d, \d\) returned 'neither of both'; expected True"):
        rd.bandit(Wrong, "rucb", steps=100, runs=2)
    with pytest.raises(RuntimeError, match="asleep"):
        rd.bandit(Raises, "rucb", steps=100, runs=2)
    with pytest.raises(RuntimeError, match="no judge came"):
        rd.bandit(NeverStarts, "rucb", steps=100, runs=2)
    with pytest.raises(ValueError, match="Nameless: expected `arms`"):
        rd.bandit(Nameless, "rucb", steps=100, runs=1)
    with pytest.raises(ValueError, match="found 1 arms, and a comparison needs two"):
        rd.bandit(Alone, "rucb", steps=100, runs=1)
    with pytest.raises(ValueError, match="4 arms, and preferences of 5"):
        rd.bandit(Other, "rucb", steps=100, runs=1)
    with pytest.raises(TypeError, match="give the class Judge"):
        rd.bandit(Judge(np.random.default_rng(1)), "rucb", steps=100, runs=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="derived from rankduel.Environment"):
        rd.bandit(dict, "rucb", steps=100, runs=1)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="a folder cannot continue it"):
        rd.bandit(Judge, "rucb", steps=100, runs=1, out=f"{tmp_path}/kept")


def test_own_policies_and_late_answers_work_there_too() -> None:
    class Uniform(rd.Policy):
        def choose(self, step: int) -> tuple[int, int]:
            return int(self.rng.integers(self.arms)), int(self.rng.integers(self.arms))

    study = rd.bandit(Judge, [Uniform, "dts"], steps=300, runs=2, delay=10)
    assert len(study.summary) == 2
