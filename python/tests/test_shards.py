"""Shards from Python: any order, some twice, the bytes of one process."""

from __future__ import annotations

import concurrent.futures
import multiprocessing
import subprocess
import sysconfig
from pathlib import Path

import pytest

import rankduel as rd

COMMAND = ["bandit", "--problem", "btl:k=6", "--algorithms", "rucb,random", "--steps", "2e3", "--runs", "5", "--seed", "3"]


def files(folder: Path) -> dict[str, bytes]:
    every = [path for path in folder.rglob("*") if path.is_file() and path.name != "timings.json"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in every}


def test_shards_add_up_to_one_process(tmp_path: Path) -> None:
    # Names are in no file, but the last of the path may be in titles.
    (tmp_path / "one").mkdir()
    (tmp_path / "many").mkdir()
    rd.command(*COMMAND, "--quiet", "--out", tmp_path / "one" / "study")
    words = [*COMMAND, "--out", tmp_path / "many" / "study"]
    with pytest.raises((RuntimeError, ValueError)):
        rd.merge(tmp_path / "many" / "study")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        list(pool.map(rd.run_shard, [2, 0], [3, 3], [words, words]))
    with pytest.raises((RuntimeError, ValueError), match="1"):
        rd.merge(tmp_path / "many" / "study")
    for shard in (1, 2):
        rd.run_shard(shard, 3, words, threads=1)
    rd.merge(tmp_path / "many" / "study")
    assert files(tmp_path / "many" / "study") == files(tmp_path / "one" / "study")


def test_refusals(tmp_path: Path) -> None:
    words = [*COMMAND, "--out", tmp_path / "study"]
    with pytest.raises(ValueError, match="expected a shard from 0 to 2, found 3"):
        rd.run_shard(3, 3, words)
    for shard in range(3):
        seed = "4" if shard == 1 else "3"
        rd.run_shard(shard, 3, [*COMMAND[:-1], seed, "--out", tmp_path / "study"])
    with pytest.raises((RuntimeError, ValueError), match="seed"):
        rd.merge(tmp_path / "study")


def test_scripts_call_the_program_by_its_path(tmp_path: Path) -> None:
    program = Path(sysconfig.get_path("scripts")) / "rankduel"
    if not program.is_file():
        pytest.skip("the package is not installed with its programs")
    words = ["submit", "slurm", "--shards", "2", "--no-dry-run", "--", *COMMAND, "--out", str(tmp_path / "study")]
    subprocess.run([program, *words], check=True, cwd=tmp_path, capture_output=True)
    for name in ("prepare.sh", "shard.sh", "merge.sh"):
        script = (tmp_path / "study.shards" / "slurm" / name).read_text()
        assert f"exec {program} " in script, script
