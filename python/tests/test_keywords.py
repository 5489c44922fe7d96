"""A misspelt keyword is an error of mypy and pyright, and at run time one with the nearest name."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from rankduel import keywords, site_settings

import rankduel as rd

RIGHT = '''
import rankduel as rd
from rankduel.client import Client
site = rd.Site("mq2008-lookalike:0.05", click="perfect", rankers=[1, 5], threads=1)
rd.Site.lookalike("mq2008", scale=0.05, click="perfect", names=None)
runs = {"a": {"q": {"d": 1.0}}, "b": {"q": ["e"]}}
rd.Site.from_runs(runs, {"q": {"d": 1}}, run_ties="keep", shown=5)
rd.Site.from_arrays([[1.0]], [1], ["q"], names=["a"], seed=1)
rd.Site.from_frame({"qid": ["q"], "label": [1], "a": [1.0]}, rankers=["a"], synthetic=True, ties="fixed")
site.live("rucb", steps=1e3, checkpoints=3, streams="keyed", stop_when=0.95)
site.compare(impressions_per_pair=10, steps=100, streams="keyed")
site.truth(effort=0.1)
site.proxy(impressions_per_pair=10, stratify=True)
site.sensitivity(draws=3)
site.distortion(sets=3)
site.study("sensitivity", draws=3)
rd.bandit("arithmetic:k=3", "rucb", steps=100, evidence=0.95)
rd.explore("arithmetic:k=3", horizons=[10], axes="log")
rd.Matrix([[0.5, 0.7], [0.3, 0.5]]).bandit("rucb", steps=10, spread="sd").significance(correction="bh")
rd.interleave(["a"], ["b"], seed=1, length=3, query=None)
rd.multileave([["a"], ["b"]], seed=1, length=3)
rd.experiment_version("search", {"a": "1"}, method="sosm")
rd.simulate_clicks("perfect", [1], users=3)
rd.credit_frame({}, {}, window="10m", final=True)
rd.Board([], winner_is="name", confidence=0.9)
rd.Live(["a", "b"], horizon=3).board(clusters="item")
rd.analyse("P.npy", comparisons=4000, arms=[0, 1])
rd.inspect("mq2008-lookalike:0.05", split="test")
rd.inspect(runs=runs, qrels={"q": {"d": 1}}, measures="AP")
rd.experiment("fig.toml", out="results", scale=0.1, only="x")
rd.command("datasets", threads=1)
rd.fetch_dataset("mq2008", accept=True)
Client("http://127.0.0.1:7077", timeout=0.2).create("search", ["a", "b"], shown=5)
'''

WRONG = '''
import rankduel as rd
from rankduel.client import Client
site = rd.Site("mq2008-lookalike:0.05", klick="perfect")
rd.Site.lookalike("mq2008", scale=0.05, clik="perfect")
rd.Site.from_runs({}, {}, run_tie="keep")
rd.Site.from_runs({}, {}, show=5)
rd.Site.from_arrays([[1.0]], [1], ["q"], name_s=["a"])
rd.Site.from_frame({}, syntetic=True)
site.live("rucb", checkpoint=3)
site.compare(stop_when=0.95)
site.truth(efort=0.1)
site.proxy(impressions_per_pairs=10)
site.sensitivity(draw=3)
site.distortion(set=3)
site.study("sensitivity", drows=3)
rd.bandit("arithmetic:k=3", "rucb", evidense=0.95)
rd.explore("arithmetic:k=3", checkpoints=3)
rd.Matrix([[0.5, 0.7], [0.3, 0.5]]).bandit("rucb", step=10)
rd.bandit("arithmetic:k=3").significance(corection="bh")
rd.interleave(["a"], ["b"], sede=1)
rd.multileave([["a"], ["b"]], seed=1, lenght=3)
rd.experiment_version("search", {"a": "1"}, metod="sosm")
rd.simulate_clicks("perfect", [1], user=3)
rd.credit_frame({}, {}, windows="10m")
rd.Board([], winner_as="name")
rd.Live(["a", "b"], horizont=3)
rd.Live(["a", "b"]).board(cluster="item")
rd.analyse("P.npy", comparison=4000)
rd.inspect("mq2008-lookalike:0.05", splitt="test")
rd.experiment("fig.toml", out="results", onli="x")
rd.command("datasets", thread=1)
rd.fetch_dataset("mq2008", acept=True)
Client("http://127.0.0.1:7077", time_out=0.2)
Client("http://127.0.0.1:7077").create("search", ["a", "b"], show=5)
'''

FIRST = 4
"""The first line of a call."""


def errors(program: list[str], text: str, folder: Path) -> tuple[set[int], str]:
    """The lines of errors, and what the program says."""
    path = folder / "calls.py"
    path.write_text(text)
    done = subprocess.run([*program, str(path)], cwd=folder, capture_output=True, text=True, check=False, timeout=600)
    return {int(line) for line in re.findall(r"calls\.py:(\d+):.* error: ", done.stdout)}, done.stdout + done.stderr


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_checkers_find_every_misspelt_keyword(checker: str, tmp_path: Path) -> None:
    if checker == "mypy":
        pytest.importorskip("mypy")
        program = [sys.executable, "-m", "mypy", "--strict", "--no-incremental"]
    elif (found := shutil.which("pyright", path=str(Path(sys.executable).parent)) or shutil.which("pyright")) is not None:
        program = [found, "--pythonpath", sys.executable]
    else:
        pytest.skip("pyright is not installed")
    lines, said = errors(program, RIGHT, tmp_path)
    assert not lines and ("no issues" in said or "0 errors" in said), said
    lines, said = errors(program, WRONG, tmp_path)
    assert lines == set(range(FIRST, len(WRONG.splitlines()) + 1)), said


@pytest.mark.parametrize(
    "line", [line for line in WRONG.splitlines()[FIRST - 1 :] if "Client(" not in line and "significance" not in line]
)
def test_the_nearest_keyword_is_named(line: str, site: rd.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(TypeError) as raised:
        exec(line, {"rd": rd, "site": site})  # noqa: S102
    if line not in ('site.compare(stop_when=0.95)', 'rd.explore("arithmetic:k=3", checkpoints=3)'):
        assert "did you mean '" in str(raised.value).lower(), str(raised.value)


def test_flags_are_those_of_the_command_line() -> None:
    """Each group has the flags of its command: none is missing, and none that is gone is left."""
    own = {"help", "threads", "quiet", "out", "replace", "json", "shard", "matrix", "against", "dataset", "rankings", "qrels", "judged"}
    groups: list[tuple[str, type, set[str]]] = [
        ("analyse", keywords.AnalyseFlags, own),
        ("inspect", keywords.InspectFlags, own),
        ("significance", keywords.SignificanceFlags, own),
        ("experiment", keywords.ExperimentFlags, (own | {"scale"}) - {"replace"}),
    ]
    for command, group, excepted in groups:
        text = rd.command(command, "--help")
        found = set(re.findall(r"^ +(?:-\w, )?--([a-z-]+)", text, re.MULTILINE)) - excepted
        assert {name.replace("_", "-") for name in get_type_hints(group, vars(keywords))} == found, command


def test_groups_are_the_arguments_of_their_functions() -> None:
    import inspect

    def of(function: Any, *without: str) -> set[str]:
        every = inspect.signature(function).parameters.values()
        return {one.name for one in every if one.kind is not one.VAR_KEYWORD} - {"self", *without}

    def names(group: type) -> set[str]:
        return set(group.__annotations__)

    from rankduel import settings

    assert names(site_settings.DataSettings) == of(rd.Site.__init__, "dataset")
    assert names(site_settings.SiteSettings) <= names(site_settings.DataSettings)
    assert names(settings.BanditSettings) == of(rd.bandit, "environment", "algorithms") | names(settings.StudySettings)
    assert names(settings.LiveSettings) == names(settings.StudySettings) | names(settings.CompareSettings)
    assert names(keywords.BoardSettings) < of(rd.Board.__init__)
    assert names(site_settings.FrameSettings) == names(site_settings.UserSettings) | (of(rd.Site.from_arrays) & {"name", "synthetic"})


def test_settings_of_experiments_are_those_of_the_server() -> None:
    from openapi import DOCUMENT
    from rankduel.client import ExperimentSettings

    described = set(DOCUMENT["components"]["schemas"]["Settings"]["properties"]) - {"name", "rankers"}
    assert set(ExperimentSettings.__annotations__) == described
