"""Click models written in Python."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable, Hashable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import rankduel as rd
from conftest import DATA, RANKERS

CLICK = [0.05, 0.5, 0.95]
STOP = [0.2, 0.5, 0.9]


class Navigational(rd.ClickModel):
    """The preset of three grades."""

    def click(self, grade: int, rank: int, state: Any) -> float:
        return CLICK[grade]

    def leave(self, grade: int, rank: int, state: Any, clicked: bool) -> float:
        return STOP[grade] if clicked else 0.0


class Browsing(rd.ClickModel):
    """The user browsing model; the state is the rank of the last click."""

    def __init__(self, eta: float = 1.0) -> None:
        self.eta = eta

    def users(self) -> Mapping[Any, float]:
        return {0: 1.0}

    def click(self, grade: int, rank: int, state: Any) -> float:
        return CLICK[grade] / (rank - state) ** self.eta

    def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Hashable:
        return rank if clicked else state


class Tired(rd.ClickModel):
    """Two kinds of users; those in a hurry leave after two clicks, and all tire of documents that are not relevant."""

    def prepare(self, highest: int) -> None:
        self.highest = highest

    def users(self) -> Mapping[Any, float]:
        return {("hurry", 0): 0.25, ("leisure", 0): 0.75}

    def click(self, grade: int, rank: int, state: Any) -> float:
        return 0.2 + 0.6 * grade / self.highest

    def leave(self, grade: int, rank: int, state: Any, clicked: bool) -> float:
        kind, clicks = state
        if kind == "hurry" and clicked and clicks == 1:
            return 1.0
        return 0.0 if grade else 0.1

    def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Hashable:
        kind, clicks = state
        return kind, min(clicks + clicked, 2)


def enumerated(model: rd.ClickModel, labels: list[int]) -> np.ndarray[Any, Any]:
    """P(click) of every document, summed over all that users may do."""
    model.prepare(max(labels))
    sums = np.zeros(len(labels))

    def visit(at: int, state: Any, p: float) -> None:
        if at == len(labels) or p == 0.0:
            return
        grade, rank = labels[at], at + 1
        click = model.click(grade, rank, state)
        sums[at] += p * click
        for clicked, chance in ((True, click), (False, 1.0 - click)):
            stays = p * chance * (1.0 - model.leave(grade, rank, state, clicked))
            visit(at + 1, model.remember(grade, rank, state, clicked), stays)

    for state, share in model.users().items():
        visit(0, state, share)
    return sums


@pytest.mark.parametrize("model", [Navigational(), Browsing(), Browsing(eta=0.3), Tired()], ids=lambda model: type(model).__name__)
def test_clicks_have_their_probabilities(model: rd.ClickModel) -> None:
    users = 40_000
    for labels in itertools.islice(itertools.permutations([0, 1, 2, 0, 2]), 0, 120, 17):
        share = rd.simulate_clicks(model, labels, users=users, seed=3).mean(axis=0)
        expected = enumerated(model, list(labels))
        error = np.sqrt(expected * (1 - expected) / users)
        assert (abs(share - expected) < 5 * error).all(), (labels, share, expected)


def test_a_copy_clicks_as_the_built_in_to_the_last_user() -> None:
    labels = [0, 1, 2, 1, 0, 2, 2, 0]
    theirs = rd.simulate_clicks("navigational", labels, users=5_000, seed=7)
    assert (theirs == rd.simulate_clicks(Navigational, labels, users=5_000, seed=7)).all()
    assert not (theirs == rd.simulate_clicks(Navigational, labels, users=5_000, seed=8)).all()
    # Between two grades, too.
    labels_between = [0.5, 1.25, 2, 0]
    clicks = [
        rd.simulate_clicks(click, labels_between, users=5_000, fractional_labels="interpolate")
        for click in ("navigational", Navigational)
    ]
    assert (clicks[0] == clicks[1]).all()


def test_sites_have_the_same_numbers(site: rd.Site) -> None:
    own = rd.Site(DATA, rankers=RANKERS, click=Navigational)
    theirs, ours = site.description["click"], own.description["click"]
    assert (ours.pop("model"), theirs.pop("model")) == ("python-Navigational", "navigational")
    assert ours == theirs
    assert repr(own).endswith("python-Navigational clicks)")


@pytest.mark.parametrize(("name", "model"), [("navigational", Navigational), ("ubm:navigational,eta=1", Browsing)])
def test_a_copy_finds_what_the_built_in_finds(name: str, model: type[rd.ClickModel]) -> None:
    sites = [rd.Site(DATA, rankers=RANKERS, click=click) for click in (name, model)]
    for settings in ({}, {"multileaved": True}):
        first, second = (one.proxy(impressions_per_pair=20_000, **settings) for one in sites)  # type: ignore[arg-type]
        error = np.hypot(np.asarray(first.standard_errors), np.asarray(second.standard_errors))
        difference = abs(first.values - second.values)
        # Pairs of one matrix share impressions: no more than one value in a thousand should be off by as much.
        assert (difference <= 4.5 * error + 1e-12).all(), (difference / np.where(error > 0, error, 1)).max()
    truths = [one.truth() for one in sites]
    assert truths[0].winner == truths[1].winner
    gaps = np.subtract(truths[0].gaps, truths[1].gaps)
    errors = np.hypot(truths[0].standard_errors, truths[1].standard_errors)
    assert (abs(gaps) <= 5 * errors + 1e-12).all()


@pytest.fixture(scope="module")
def own() -> rd.Site:
    return rd.Site(DATA, rankers=RANKERS, click=Tired)


def test_it_is_in_all_studies_and_tables(own: rd.Site) -> None:
    study = own.live(["rucb", "mdb"], steps=1_000, runs=2, seed=2)
    assert study.labels == ["rucb", "mdb"]
    # The same for any number of threads, and after a pickle.
    again = pickle.loads(pickle.dumps(own)).live(["rucb", "mdb"], steps=1_000, runs=2, seed=2, threads=1)
    assert study.curves.to_csv() == again.curves.to_csv()
    assert study.curves.to_csv() != own.live(["rucb", "mdb"], steps=1_000, runs=2, seed=3).curves.to_csv()
    compared = own.compare(algorithms=["rucb"], impressions_per_pair=200, steps=300, runs=2)
    assert compared.live.labels == compared.proxy.labels == ["rucb"]
    errors = own.sensitivity(["team-draft"], compared=3, impressions=100, draws=5)
    assert set(errors["method"]) == {"pairwise probabilistic", "team-draft"}
    assert len(own.distortion([2], multileavings=50, sets=3)) == 1
    assert "Tired clicks" in study.svg() and "python-" not in study.svg()


def test_it_is_kept_with_its_study(own: rd.Site, tmp_path: Path) -> None:
    own.live("random", steps=100, runs=1).save(tmp_path / "study")
    config = (tmp_path / "study" / "config.json").read_text()
    assert '"python-Tired"' in config and "first state and share" in config


def test_other_sources_take_one() -> None:
    scores = [[0.9, 0.1], [0.2, 0.8], [0.5, 0.5], [0.6, 0.7]]
    arrays = rd.Site.from_arrays(scores, [1, 0, 0, 1], ["a", "a", "b", "b"], click=Browsing(eta=2.0))
    frame = {"qid": ["a", "a"], "label": [1, 0], "one": [0.1, 0.2], "two": [0.2, 0.1]}
    runs = {"one": {"q": {"d1": 2.0, "d2": 1.0}}, "two": {"q": {"d1": 1.0, "d2": 2.0}}}
    sites = [
        arrays,
        rd.Site.from_frame(frame, click=Browsing),
        rd.Site.from_runs(runs, {"q": {"d1": 1}}, click=Browsing),
        rd.Site.lookalike("mq2008", scale=0.02, rankers=[1, 2], click=Browsing),
    ]
    for site in sites:
        assert site.description["click"]["model"] == "python-Browsing"
        assert pickle.loads(pickle.dumps(site)).description == site.description


def test_numbers_name_and_version_decide_the_seed(tmp_path: Path) -> None:
    class Versioned(Browsing):
        name = "mine"
        version = "2"

    def regret(click: rd.ClickModel) -> bytes:
        # A cache that all share: none may take another's truth.
        study = rd.Site(DATA, rankers=RANKERS, click=click).live("random", steps=200, runs=1, truth_effort=0.01, cache=tmp_path)
        return study.runs.to_csv()

    assert regret(Browsing()) == regret(Browsing())
    assert len({regret(model) for model in (Browsing(), Browsing(eta=1.1), Versioned())}) == 3
    assert len(list(tmp_path.rglob("*.json"))) >= 3
    site = rd.Site(DATA, rankers=RANKERS, click=Versioned)
    assert site.description["click"]["model"] == "python-mine:version=2"


class Told(rd.ClickModel):
    """Answers as it is told."""

    answers: dict[str, Any] = {}

    def _told(self, method: str, otherwise: Any) -> Any:
        answer = self.answers.get(method, otherwise)
        if isinstance(answer, Exception):
            raise answer
        return answer

    def users(self) -> Any:
        return self._told("users", {None: 1.0})

    def click(self, grade: int, rank: int, state: Any) -> Any:
        return self._told("click", 0.5)

    def leave(self, grade: int, rank: int, state: Any, clicked: bool) -> Any:
        return self._told("leave", 0.0)

    def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Any:
        return self._told("remember", state)


@pytest.mark.parametrize(
    ("answers", "error", "message"),
    [
        ({"click": KeyError("mine")}, KeyError, "mine"),
        ({"click": 1.5}, ValueError, "Told.click(0, 1, None) returned 1.5; expected a probability from 0 to 1"),
        ({"click": float("nan")}, ValueError, "Told.click(0, 1, None) returned nan"),
        ({"click": None}, TypeError, "Told.click(0, 1, None) returned None; expected a probability"),
        ({"leave": -0.1}, ValueError, "Told.leave(0, 1, None, False) returned -0.1"),
        ({"remember": []}, TypeError, "Told.remember() returned the state []; expected something hashable"),
        ({"users": {}}, TypeError, "Told.users() returned {}; expected the share of users by state"),
        ({"users": {None: "x"}}, TypeError, "Told.users() returned the share 'x' for None; expected a probability"),
        ({"users": {0: 0.5, 1: 0.4}}, ValueError, "the shares of users add up to 0.9"),
    ],
)
def test_what_is_wrong_is_said_by_name(answers: dict[str, Any], error: type[Exception], message: str) -> None:
    class Wrong(Told):
        pass

    Wrong.__name__ = "Told"
    Wrong.answers = answers
    for ask in (lambda: rd.Site(DATA, click=Wrong), lambda: rd.simulate_clicks(Wrong, [0, 1])):
        with pytest.raises(error) as raised:
            ask()
        assert message in str(raised.value)


def test_other_refusals() -> None:
    class Forgetful(rd.ClickModel):
        pass

    class Historian(Told):
        def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Hashable:
            return (state, grade, clicked)

    with pytest.raises(NotImplementedError, match="returns a probability"):
        rd.Site(DATA, click=Forgetful)
    with pytest.raises(ValueError, match=r"Historian: users can be in more than 10,000 states, .* at rank 7"):
        rd.Site(DATA, click=Historian)
    for wrong in (3, object, None):
        with pytest.raises(TypeError, match='expected a name such as "navigational" or a ClickModel of your own'):
            rd.Site(DATA, click=wrong)  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="expected a name"):
            rd.Site.from_arrays([[1, 2]], [1], ["a"], click=wrong)  # type: ignore[typeddict-item]
    with pytest.raises(ValueError, match="unknown click model"):
        rd.simulate_clicks("navigatonal:1", [0, 1])
    with pytest.raises(ValueError, match="expected round, floor or interpolate"):
        rd.simulate_clicks("perfect", [0, 1], fractional_labels="up")
    with pytest.raises(ValueError, match="negative"):
        rd.simulate_clicks("perfect", [0, -1])

    class Minds(Told):
        def click(self, grade: int, rank: int, state: Any) -> float:
            return 0.5 if state else 0.25

        def remember(self, grade: int, rank: int, state: Any, clicked: bool) -> Hashable:
            return grade

    with pytest.raises(ValueError, match="label 0.5 lies between"):
        rd.simulate_clicks(Minds, [0.5, 1, 0], fractional_labels="interpolate")


def test_ctrl_c_ends_it() -> None:
    class Endless(Told):
        def click(self, grade: int, rank: int, state: Any) -> float:
            time.sleep(0.01)
            return 0.5

    def interrupted(work: Callable[[], object]) -> float:
        at: list[float] = []

        def ring() -> None:
            at.append(time.monotonic())
            os.kill(os.getpid(), signal.SIGINT)

        timer = threading.Timer(0.3, ring)
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            work()
        timer.join()
        return time.monotonic() - at[0]

    # Half a second on an idle machine; without an answer, each of them takes much longer than this.
    assert interrupted(lambda: rd.Site(DATA, click=Endless, shown=9_000)) < 5.0
    assert interrupted(lambda: rd.simulate_clicks(Browsing, [0, 1, 2] * 10, users=30_000_000)) < 5.0


def test_nobody_clicks_on_an_empty_list() -> None:
    assert rd.simulate_clicks(Navigational, [], users=3).shape == (3, 0)
    assert rd.simulate_clicks("perfect", [1], users=0).shape == (0, 1)


def test_grades_that_nobody_has_are_refused_at_once() -> None:
    class Two(rd.ClickModel):
        def click(self, grade: int, rank: int, state: object) -> float:
            return 0.5

    with pytest.raises(ValueError, match="the highest grade is 1,000,000; expected one below 1,000,000"):
        rd.simulate_clicks(Two, [10**6])

    class Remembers(Two):
        def remember(self, grade: int, rank: int, state: object, clicked: bool) -> object:
            return grade

    with pytest.raises(ValueError, match="more than 1,000,000 pairs of a state and a grade"):
        rd.simulate_clicks(Remembers, [2000, 1, 1])
