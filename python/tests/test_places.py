"""Results folders and shards of studies in Python: the files of the command line, continued and shared out alike."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import DATA, RANKERS, cli

import rankduel as rd

SITE = ["--dataset", DATA, "--rankers", RANKERS]
ALGORITHMS = ["rucb", "random"]


def content(folder: Path) -> dict[str, bytes]:
    """All files below a folder, but those with seconds."""
    files = (path for path in folder.rglob("*") if path.is_file() and path.name != "timings.json")
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def command(*arguments: str, folder: Path) -> str:
    ran = cli(*arguments, folder=folder)
    assert ran.returncode == 0, ran.stderr.decode()
    return ran.stdout.decode()


def test_a_live_study_writes_the_folder_of_the_command_line(site: rd.Site, tmp_path: Path) -> None:
    ours, theirs = tmp_path / "ours", tmp_path / "theirs"
    study = site.live(ALGORITHMS, steps=3_000, runs=3, out=ours)
    words = ["live", *SITE, "--algorithms", "rucb,random", "--steps", "3000", "--runs", "3", "--out", str(theirs)]
    printed = command(*words, folder=tmp_path)
    assert content(ours) == content(theirs)
    assert str(study).strip() == printed.strip()
    # Each continues the other's work.
    site.live(ALGORITHMS, steps=3_000, runs=4, out=theirs)
    command(*words[:-3], "4", "--out", str(ours), folder=tmp_path)
    assert content(ours) == content(theirs)
    assert len(site.live(ALGORITHMS, steps=3_000, runs=2, out=ours).runs) == 8, "a folder only grows"


INTERRUPTED = """
import sys, rankduel as rd
site = rd.Site({data!r}, rankers={rankers!r})
site.live({algorithms!r}, steps=200_000, runs=60, out=sys.argv[1])
"""


@pytest.mark.parametrize("ends", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_study_goes_on_with_the_same_bytes(
    site: rd.Site, tmp_path: Path, ends: signal.Signals
) -> None:
    script = INTERRUPTED.format(data=DATA, rankers=RANKERS, algorithms=ALGORITHMS)
    broken = tmp_path / "broken"
    with subprocess.Popen([sys.executable, "-c", script, str(broken)], stderr=subprocess.DEVNULL) as process:
        kept: list[Path] = []
        limit = time.monotonic() + 120
        while not any(file.stat().st_size > 1_000 for file in kept) and time.monotonic() < limit:
            time.sleep(0.01)
            kept = list(broken.glob(".runs/*.jsonl"))
        process.send_signal(ends)
        process.wait(120)
    assert process.returncode != 0, "it was interrupted before it was finished"
    assert not (broken / "config.json").exists()
    finished = sum(len(file.read_bytes().splitlines()) - 1 for file in kept)
    assert 0 < finished < 120
    site.live(ALGORITHMS, steps=200_000, runs=60, out=broken)
    site.live(ALGORITHMS, steps=200_000, runs=60, out=tmp_path / "whole")
    assert content(broken) == content(tmp_path / "whole")


def test_shards_of_python_and_of_the_command_line_are_those_of_one_study(site: rd.Site, tmp_path: Path) -> None:
    whole = site.live(ALGORITHMS, steps=2_000, runs=5, out=tmp_path / "whole")
    words = ["live", *SITE, "--algorithms", "rucb,random", "--steps", "2000", "--runs", "5"]
    for merged in ["theirs", "ours"]:
        out = tmp_path / merged
        rd.play_shard("0/3", site.live, ALGORITHMS, steps=2_000, runs=5, out=out)
        command(*words, "--out", str(out), "--shard", "1/3", folder=tmp_path)
        rd.play_shard("2/3", site.live, ALGORITHMS, steps=2_000, runs=5, out=out)
        assert not out.exists()
    command("merge", str(tmp_path / "theirs"), folder=tmp_path)
    ours = rd.merge_shards(site.live, ALGORITHMS, steps=2_000, runs=5, out=tmp_path / "ours")
    assert content(tmp_path / "ours") == content(tmp_path / "theirs") == content(tmp_path / "whole")
    assert str(ours) == str(whole)


def test_parts_of_python_alone_are_merged_in_python(tmp_path: Path) -> None:
    out = tmp_path / "out"
    for share in ["0/2", "1/2"]:
        rd.play_shard(share, rd.bandit, "btl:k=4", "random", steps=100, runs=2, out=out)
    ran = cli("merge", str(out), folder=tmp_path)
    assert (ran.returncode, b"merge_shards" in ran.stderr) == (2, True), ran.stderr
    assert rd.merge_shards(rd.bandit, "btl:k=4", "random", steps=100, runs=2, out=out).labels == ["random"]


def test_every_study_has_folders_and_shards(site: rd.Site, matrix: rd.Matrix, tmp_path: Path) -> None:
    explore = {"horizons": [100, 1_000], "runs": 3}
    studies: dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = {
        "bandit": (rd.bandit, (matrix, ALGORITHMS), {"steps": 1_000, "runs": 3}),
        "utilities": (rd.bandit, ("arith51", "random"), {"steps": 1_000, "runs": 3}),
        "explore": (rd.explore, (matrix, ALGORITHMS), explore),
        "compare": (site.compare, (matrix, ALGORITHMS), {"steps": 1_000, "runs": 3}),
        "estimated": (site.compare, (None, ALGORITHMS), {"steps": 1_000, "runs": 3, "impressions_per_pair": 100}),
        "sensitivity": (site.sensitivity, (), {"draws": 4, "impressions": 50, "compared": 3}),
        "distortion": (site.distortion, (), {"sets": 4, "multileavings": 50}),
    }
    for name, (study, arguments, settings) in studies.items():
        whole, out = tmp_path / name, tmp_path / f"{name}-shared"
        found = study(*arguments, **settings, out=whole)
        rd.play_shard("prepare", study, *arguments, **settings, out=out)
        for share in ["1/2", "0/2"]:
            rd.play_shard(share, study, *arguments, **settings, out=out)
        merged = rd.merge_shards(study, *arguments, **settings, out=out)
        assert content(out) == content(whole), name
        assert str(study(*arguments, **settings, out=whole)) == str(found), name
        assert str(merged) == str(found) == str(study(*arguments, **settings)), name


def test_any_study_of_a_site_is_asked_for_by_name(site: rd.Site, tmp_path: Path) -> None:
    found = site.study("sensitivity", draws=3, impressions_per_draw=20, compared=3, methods=["team-draft", "sosm"])
    assert set(found.tables) == {"errors"} and set(found.figures) == {"error"}
    assert found.tables["errors"].columns[0] == "method"
    same = site.sensitivity(["team-draft", "sosm"], draws=3, impressions=20, compared=3)
    assert str(same) == str(found.tables["errors"])
    with pytest.raises(ValueError, match="there is no study"):
        site.study("nosuch")
    with pytest.raises(TypeError, match=r"study\(\) has no argument 'nosuch'"):
        site.study("sensitivity", nosuch=3)
    with pytest.raises(ValueError, match="draws"):
        site.study("sensitivity", draws=0)


class First(rd.Policy):
    def choose(self, step: int) -> tuple[int, int]:
        return 0, 1


class Versioned(First):
    version = "1"


def test_policies_of_ones_own_need_a_version_to_be_kept(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="version"):
        rd.bandit("btl:k=4", First, steps=100, runs=1, out=tmp_path / "a")
    assert not (tmp_path / "a").exists()
    first = rd.bandit("btl:k=4", Versioned, steps=100, runs=2, out=tmp_path / "a")
    assert str(rd.bandit("btl:k=4", Versioned, steps=100, runs=2, out=tmp_path / "a")) == str(first)


def test_wrong_places_are_refused(site: rd.Site, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="replace belongs"):
        site.live("random", steps=10, runs=1, replace=True)
    with pytest.raises(ValueError, match="add out="):
        rd.play_shard("0/2", site.live, "random", steps=10, runs=1)
    for share in ["2/2", "x", "merge:a"]:
        with pytest.raises(ValueError, match="shard"):
            rd.play_shard(share, site.live, "random", steps=10, runs=1, out=tmp_path / "s")
    with pytest.raises(TypeError, match="not a study"):
        rd.play_shard("0/2", len, "abc")
    site.live("random", steps=10, runs=1, out=tmp_path / "x")
    with pytest.raises(ValueError, match="seed"):
        site.live("random", steps=10, runs=1, seed=3, out=tmp_path / "x")
    before = content(tmp_path / "x")
    site.live("random", steps=10, runs=1, seed=3, out=tmp_path / "x", replace=True)
    assert content(tmp_path / "x.old-1") == before
    with pytest.raises(ValueError, match="missing"):
        rd.play_shard("0/2", site.live, "random", steps=10, runs=2, out=tmp_path / "y")
        rd.merge_shards(site.live, "random", steps=10, runs=2, out=tmp_path / "y")
    assert os.listdir(tmp_path / "y.shards") == ["0-of-2.part"]
