"""Data sets by name: got, registered, refused. Without a network: a proxy that is not there refuses downloads."""

from __future__ import annotations

from pathlib import Path

import pytest

import rankduel as rd

NAME = "prefmat-mslr-perfect"


@pytest.fixture(autouse=True)
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKDUEL_DATA_DIR", str(tmp_path / "data"))
    for variable in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(variable, "http://127.0.0.1:9")


def test_files_of_ones_own(tmp_path: Path) -> None:
    (tmp_path / "MSLR-Perfect.txt").write_text(("0.5 " * 136 + "\n") * 136)
    with pytest.raises(RuntimeError, match="is not as expected: MSLR-Perfect.txt: it has 74120 bytes, expected 462400"):
        rd.fetch_dataset(NAME, source="MSLR-Perfect.txt")
    assert not (tmp_path / "data" / NAME).exists()
    assert "registered: --matrix" in rd.fetch_dataset(NAME, source=tmp_path, accept=True)
    assert rd.Matrix.open(NAME).values.shape == (136, 136)
    assert "registered, 136 arms" in rd.fetch_dataset(NAME)


def test_the_wheel_downloads_and_advises_itself(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match=f"failed to get {NAME}: .*`rankduel datasets fetch {NAME} --from") as raised:
        rd.fetch_dataset(NAME)
    assert "https://raw.githubusercontent.com/" in str(raised.value)
    assert not (tmp_path / "data" / NAME).exists()
    with pytest.raises(RuntimeError, match="ylr1 is not registered: get ylr1 from https://"):
        rd.fetch_dataset("ylr1")
    with pytest.raises(ValueError, match="did you mean `ylr1`"):
        rd.fetch_dataset("yrl1")
    with pytest.raises(FileNotFoundError, match="`rankduel datasets fetch mslr-web10k` downloads it"):
        rd.Site("mslr-web10k")
    assert "`rankduel datasets fetch NAME` downloads one" in rd.command("datasets")
