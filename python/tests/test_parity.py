"""The package and the command line give the same bytes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from conftest import DATA, RANKERS, cli

import rankduel as rd

SITE = ("--dataset", DATA, "--rankers", RANKERS)
SMALL = ("--steps", "3000", "--runs", "2")


def ran(*arguments: str, folder: Path) -> str:
    done = cli(*arguments, folder=folder)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_live(site: rd.Site, tmp_path: Path) -> None:
    printed = ran(*SITE, *SMALL, "--algorithms", "rucb,mdb", "--quiet", "--out", "live", folder=tmp_path)
    study = site.live(["rucb", "mdb"], steps=3000, runs=2)
    assert printed == str(study) + "\n"
    for name, frame in (("curves", study.curves), ("runs", study.runs)):
        assert frame.to_csv() == (tmp_path / "live" / f"{name}.csv").read_bytes()
    assert study.summary == json.loads((tmp_path / "live/summary.json").read_text())
    assert study.svg() == (tmp_path / "live/regret.svg").read_text()
    assert json.loads((tmp_path / "live/config.json").read_text())["site"] == site.description
    study.save(tmp_path / "saved")
    for name in ("config.json", "curves.csv", "runs.csv", "summary.json", "regret.svg", "regret.png"):
        assert (tmp_path / "saved" / name).read_bytes() == (tmp_path / "live" / name).read_bytes(), name
    assert study.config == json.loads((tmp_path / "live/config.json").read_text())
    with pytest.raises(ValueError, match="is not empty"):
        study.save(tmp_path / "saved")


def test_proxy_and_bandit(site: rd.Site, matrix: rd.Matrix, tmp_path: Path) -> None:
    ran("proxy", *SITE, "--impressions-per-pair", "400", "--out", "P.npy", "--quiet", folder=tmp_path)
    matrix.save(tmp_path / "mine" / "P.npy")
    for name in ("P.npy", "P.txt", "P.counts.npz", "P.json", "P.state"):
        assert (tmp_path / "mine" / name).read_bytes() == (tmp_path / name).read_bytes(), name
    with pytest.raises(ValueError, match="exists; pass replace=True"):
        matrix.save(tmp_path / "mine" / "P.npy")
    printed = ran("bandit", "--matrix", "P.npy", *SMALL, "--algorithms", "rucb,dts", "--quiet", folder=tmp_path)
    for environment in (matrix, rd.Matrix.open(tmp_path / "P.npy"), str(tmp_path / "P.npy")):
        assert str(rd.bandit(environment, ["rucb", "dts"], steps=3000, runs=2)) + "\n" == printed
    # From the array alone, neither names nor provenance are known, but the runs are the same.
    bare = rd.bandit(np.asarray(matrix), ["rucb", "dts"], steps=3000, runs=2)
    assert bare.curves == rd.bandit(matrix, ["rucb", "dts"], steps=3000, runs=2).curves
    assert bare.synthetic is None and matrix.synthetic


def test_counts_of_a_matrix(matrix: rd.Matrix, tmp_path: Path) -> None:
    values, wins, ties, comparisons = matrix.values, matrix.wins, matrix.ties, matrix.comparisons
    off = ~np.eye(matrix.arms, dtype=bool)
    assert np.all(comparisons[off] == 400) and np.all(np.diag(comparisons) == 0)
    assert np.array_equal(wins + wins.T + ties, comparisons)
    assert np.allclose(values[off], ((2 * wins + ties) / (2 * np.maximum(comparisons, 1)))[off])
    matrix.save(tmp_path / "P.npy")
    again = rd.Matrix.open(tmp_path / "P.npy")
    for name in ("values", "wins", "ties", "comparisons", "standard_errors"):
        assert np.array_equal(getattr(again, name), getattr(matrix, name)), name


def test_problems(tmp_path: Path) -> None:
    for problem in ("btl:k=10", "1good5poor"):
        printed = ran(
            "bandit", "--problem", problem, *SMALL, "--algorithms", "rucb", "--seed", "3", "--quiet", folder=tmp_path
        )
        assert str(rd.bandit(problem, "rucb", steps=3000, runs=2, seed=3)) + "\n" == printed


def test_compare(site: rd.Site, tmp_path: Path) -> None:
    ran(
        "compare", *SITE, *SMALL, "--algorithms", "rucb,random", "--impressions-per-pair", "400", "--quiet", "--out", "c",
        folder=tmp_path,
    )
    compared = site.compare(algorithms=["rucb", "random"], impressions_per_pair=400, steps=3000, runs=2)
    assert compared.differences.to_csv() == (tmp_path / "c/differences.csv").read_bytes()
    for name, study in (("live", compared.live), ("proxy", compared.proxy)):
        assert study.curves.to_csv() == (tmp_path / "c" / name / "curves.csv").read_bytes()
        assert study.svg() == (tmp_path / "c" / name / "regret.svg").read_text()


def test_sensitivity_and_distortion(site: rd.Site, tmp_path: Path) -> None:
    sizes = ("--compared", "3", "--impressions-per-draw", "600", "--draws", "4")
    ran("sensitivity", *SITE, *sizes, "--methods", "sosm,team-draft", "--quiet", "--out", "s", folder=tmp_path)
    frame = site.sensitivity(["sosm", "team-draft"], compared=3, impressions=600, draws=4)
    assert frame.to_csv() == (tmp_path / "s/errors.csv").read_bytes()
    ran("distortion", *SITE, "--multileavings", "200", "--sets", "3", "--quiet", "--out", "d.json", folder=tmp_path)
    found = json.loads((tmp_path / "d.json").read_text())["distortion"]
    distorted = site.distortion(multileavings=200, sets=3)
    assert [entry["size"] for entry in found] == list(distorted["size"])
    assert [entry["share"]["mean"] for entry in found] == list(distorted["mean"])


def test_analyse_and_inspect(matrix: rd.Matrix, tmp_path: Path) -> None:
    matrix.save(tmp_path / "P.npy")
    printed = ran("analyse", "--matrix", "P.npy", "--samples", "100", "--quiet", "--out", "a", folder=tmp_path)
    found = rd.analyse(matrix, samples=100)
    assert found.text == printed.rstrip("\n")
    for path in (tmp_path / "a").glob("*.csv"):
        assert found.tables[path.stem].to_csv() == path.read_bytes()
    assert found.data == json.loads((tmp_path / "a/findings.json").read_text())
    assert "matrix" in found.figures
    inspected = rd.inspect(DATA)
    assert inspected.text == ran("inspect", DATA, "--quiet", "--out", "i", folder=tmp_path).rstrip("\n")
    assert len(inspected.data["ndcg"]) == inspected.data["features"]


def test_truth_is_that_of_the_command_line(site: rd.Site, tmp_path: Path) -> None:
    truth = site.truth(cache=tmp_path / "cache")
    assert str(site.live(["random"], steps=10, runs=1)).splitlines()[0] == truth.text == str(truth)
    ran(*SITE, "--steps", "10", "--runs", "1", "--quiet", "--out", "x", folder=tmp_path)
    told = json.loads((tmp_path / "x/config.json").read_text())["truth"]
    assert (told["winner"], told["gaps"], told["z"]) == (truth.winner, truth.gaps, truth.z)


def test_threads_change_nothing(site: rd.Site) -> None:
    once, again = (site.live(["mergerucb", "mdb"], steps=4000, runs=3, threads=threads) for threads in (1, 2))
    assert once.runs == again.runs and once.curves == again.curves


def test_the_command_line_is_that_of_sim(tmp_path: Path) -> None:
    sim = os.environ.get("RANKDUEL_SIM")
    if sim is None:
        pytest.skip("no program `rankduel` of cargo; set RANKDUEL_SIM to one of this revision")
    for arguments in (["--help"], ["algorithms", "rucb"], ["bandit", "--problem", "nosuch"], ["datasets", "--json"], ["--seed=x"]):
        theirs = subprocess.run([sim, *arguments], cwd=tmp_path, capture_output=True, check=False)
        ours = cli(*arguments, folder=tmp_path)
        assert (ours.returncode, ours.stdout, ours.stderr) == (theirs.returncode, theirs.stdout, theirs.stderr)


def test_commands_as_functions(tmp_path: Path) -> None:
    assert rd.command("algorithms", "rucb") == ran("algorithms", "rucb", folder=tmp_path)
    assert "Usage: rankduel" in rd.command("bandit", "--help")
    done = cli("bandit", "--problem", "nosuch", folder=tmp_path)
    with pytest.raises(ValueError) as raised:
        rd.command("bandit", "--problem", "nosuch")
    assert done.returncode == 2 and done.stderr.decode().strip() == f"error: {raised.value}"


def test_experiment(tmp_path: Path) -> None:
    found = rd.experiment(Path(__file__).parents[2] / "experiments/rucb-fig3.toml", out=tmp_path, scale=0.001)
    assert found and all(entry.data for entry in found.values())
