"""Arguments of studies beside steps, runs and seed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_parity import SITE, SMALL, ran

import rankduel as rd
from rankduel import _core

CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({"stop_when": 0.9, "tolerance": 0.01, "give_up": True}, ["--stop-when", "0.9", "--tolerance", "0.01", "--give-up"]),
    ({"evidence": 0.8}, ["--evidence", "0.8"]),
    ({"delay": 20, "batch": 7, "lost": 0.1}, ["--delay", "20", "--batch", "7", "--lost", "0.1"]),
    ({"delay": "geometric:30"}, ["--delay", "geometric:30"]),
    ({"checkpoints": 3, "axes": "linear", "spread": "sd"}, ["--checkpoints", "3", "--axes", "linear", "--spread", "sd"]),
]


@pytest.mark.parametrize(("settings", "flags"), CASES, ids=lambda case: "-".join(case) if isinstance(case, dict) else "")
def test_settings_are_the_flags(site: rd.Site, settings: dict[str, Any], flags: list[str], tmp_path: Path) -> None:
    problem = ("bandit", "--problem", "arithmetic:k=6")
    for words, study in (
        (problem, rd.bandit("arithmetic:k=6", ["rucb", "dts"], steps=3e3, runs=2, **settings)),
        (SITE, site.live(["rucb", "dts"], steps=3000, runs=np.int64(2), **settings)),
    ):
        out = tmp_path / study.config["command"]
        printed = ran(*words, *SMALL, "--algorithms", "rucb,dts", *flags, "--quiet", "--out", str(out), folder=tmp_path)
        assert printed == str(study) + "\n"
        study.save(tmp_path / "saved" / out.name)
        for name in ("config.json", "curves.csv", "runs.csv", "summary.json", "regret.svg"):
            assert (tmp_path / "saved" / out.name / name).read_bytes() == (out / name).read_bytes(), name


def test_delays_in_a_file(tmp_path: Path) -> None:
    (tmp_path / "delays.txt").write_text("5\n50\n")
    study = rd.bandit("arithmetic:k=6", "rucb", steps=1000, runs=2, delay=tmp_path / "delays.txt")
    assert study.config["delay"].startswith("delays.txt-") and "as late as in delays.txt" in str(study)


def test_keyed_streams(site: rd.Site, tmp_path: Path) -> None:
    study = site.live(["rucb", "mdb"], steps=3000, runs=2, streams="keyed", truth_effort=0.5, cache=tmp_path / "kept")
    flags = ("--streams", "keyed", "--truth-effort", "0.5", "--cache", "kept", "--quiet", "--out", "k")
    assert ran(*SITE, *SMALL, "--algorithms", "rucb,mdb", *flags, folder=tmp_path) == str(study) + "\n"
    assert study.config == json.loads((tmp_path / "k/config.json").read_text())


def test_the_command_line_extends_what_was_saved(tmp_path: Path) -> None:
    rd.bandit("arithmetic:k=6", ["rucb", "dts"], steps=1000, runs=2).save(tmp_path / "study")
    words = ("bandit", "--problem", "arithmetic:k=6", "--algorithms", "rucb", "--steps", "2000", "--runs", "3", "--quiet")
    printed = ran(*words, "--out", "study", folder=tmp_path)
    assert printed == str(rd.bandit("arithmetic:k=6", ["rucb", "dts"], steps=2000, runs=3)) + "\n"


def test_significance(tmp_path: Path) -> None:
    study = rd.bandit("arithmetic:k=6", ["rucb", "dts", "random"], steps=1000, runs=4)
    study.save(tmp_path / "study")
    found = study.significance(correction="bh")
    assert found.text + "\n" == ran("significance", "study", "--correction", "bh", folder=tmp_path)
    assert len(found.tables["significance"]) == 3
    paper = study.significance(by_algorithm=True, relabel={"rucb": "RUCB", "dts": "D-TS"}, format="latex", standalone=True)
    words = ("--by-algorithm", "--relabel", "rucb=RUCB,dts=D-TS", "--format", "latex", "--standalone")
    assert paper.text + "\n" == ran("significance", "study", *words, folder=tmp_path)
    assert set(paper.tables["significance"]["algorithm"]) == {"RUCB", "D-TS", "random"}


@pytest.mark.parametrize("environment", ["arithmetic:k=6", "1good5poor"])
def test_explore(environment: str, tmp_path: Path) -> None:
    found = rd.explore(environment, ["rucb", "savage"], horizons=[100, 1e3, 1000], runs=3, lost=0.1)
    words = ("--setting", "explore-then-exploit", "--horizons", "100,1e3", "--runs", "3", "--lost", "0.1")
    words = ("bandit", "--problem", environment, "--algorithms", "rucb,savage", *words, "--quiet", "--out", "e")
    assert ran(*words, folder=tmp_path) == str(found) + "\n"
    for name, table in found.tables.items():
        assert table.to_csv() == (tmp_path / f"e/{name}.csv").read_bytes()
    for name, figure in found.figures.items():
        assert figure == (tmp_path / f"e/{name}.svg").read_text()
    assert found.data == json.loads((tmp_path / "e/summary.json").read_text())


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"stepz": 3}, TypeError, "bandit() has no argument 'stepz'; did you mean 'steps'?"),
        ({"streams": "keyed"}, TypeError, "bandit() has no argument 'streams'"),
        ({"steps": 1.5}, ValueError, "steps: expected a whole number such as 1000000 or 1e6, found `1.5`"),
        ({"steps": "many"}, ValueError, "steps: expected a whole number such as 1000000 or 1e6, found `many`"),
        ({"seed": -1}, ValueError, "seed: expected a whole number such as 1000000 or 1e6, found `-1`"),
        ({"runs": 0}, ValueError, "runs: expected at least 1, found 0"),
        ({"stop_when": 2}, ValueError, "stop_when: expected a confidence between 0 and 1"),
        ({"evidence": float("nan")}, ValueError, "evidence: expected a number such as 0.5 or 1e-3, found `nan`"),
        ({"evidence": 0.9, "stop_when": 0.9}, ValueError, "exclude each other; leave one of them out"),
        ({"tolerance": 0.1}, ValueError, "add stop_when=0.95"),
        ({"give_up": True}, ValueError, "add stop_when=0.95"),
        ({"tolerance": 0.5, "evidence": 0.9}, ValueError, "from 0 to below 0.5"),
        ({"delay": "x"}, ValueError, "there is no such file"),
        ({"delay": 1000}, ValueError, "the first answer comes after impression 1,001, and runs have 1,000 steps"),
        ({"batch": 0}, ValueError, "batch: expected at least 1, found 0"),
        ({"lost": 1}, ValueError, "lost: expected a probability below 1"),
        ({"spread": "all"}, ValueError, "spread: expected se, sd or range, found all"),
    ],
)
def test_refusals(settings: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        rd.bandit("arithmetic:k=6", "rucb", **{"steps": 1000, "runs": 2, **settings})
    assert message in str(raised.value) and "\n" not in str(raised.value)


def test_explore_has_no_evidence_and_needs_horizons() -> None:
    with pytest.raises(TypeError, match=r"explore\(\) has no argument 'evidence'"):
        rd.explore("arithmetic:k=6", "rucb", evidence=0.9)
    with pytest.raises(ValueError, match="horizons: expected at least 1, found 0"):
        rd.explore("arithmetic:k=6", "rucb", horizons=[0, 10])


@pytest.mark.parametrize(
    ("function", "settings", "own"),
    [
        ("bandit", rd.StudySettings, ["steps", "runs", "seed", "regret"]),
        ("explore", rd.ExploreSettings, ["horizons", "runs", "seed", "regret"]),
        ("live", rd.LiveSettings, ["steps", "runs", "seed", "regret"]),
        ("compare", rd.CompareSettings, ["steps", "runs", "seed", "regret"]),
    ],
)
def test_what_is_documented_is_what_there_is(function: str, settings: Any, own: list[str]) -> None:
    documented = {name for group in settings.__mro__ for name in getattr(group, "__annotations__", {})}
    documented |= set(settings.__annotations__)
    assert sorted(documented | set(own)) == sorted(name for name, _ in _core.keywords(function))
