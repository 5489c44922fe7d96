"""The examples of README and documentation run, at a small size."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import rankduel as rd

ROOT = Path(__file__).parents[2]
PAGES = [path for path in (ROOT / "README.md", ROOT / "python/README.md", *sorted((ROOT / "docs/pages").rglob("*.md"))) if path.exists()]
WITH_EXAMPLES = [path for path in PAGES if "import rankduel as rd" in path.read_text() and "docs/pages/notebooks/" not in path.as_posix()]

SMALLER = [
    (r"\bsteps=[\d_]+", "steps=2_000"),
    (r"\bruns=\d+", "runs=2"),
    (r"\bhorizons=\[.*?\]", "horizons=[50, 500]"),
    (r"\binterleavings=[\d_]+", "impressions_per_pair=200"),
    (r"\bimpressions=[\d_]+", "impressions=200"),
    (r"impressions == [\d_]+", "impressions == 200"),
    (r"\bdraws=\d+", "draws=3"),
    (r"\bscale=[\d.]+", "scale=0.005"),
    (r"\bdelay=[\d_]+", "delay=100"),
    (r'lookalike\("mq2008", scale=0.005', 'lookalike("mq2008", scale=0.05'),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One folder for all pages, as readers have it who follow one after the other."""
    folder = tmp_path_factory.mktemp("reader")
    (folder / "experiments").symlink_to(ROOT / "experiments")
    return folder


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_examples_run(page: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text()
    if "pd." in text or "to_pandas" in text:
        pytest.importorskip("pandas")
        pytest.importorskip("polars")
    if ".plot(" in text:
        pytest.importorskip("matplotlib").use("Agg")
    if "rd.experiment" in text and not (ROOT / "experiments").is_dir():
        pytest.skip("no experiments beside the package")
    monkeypatch.chdir(folder)
    if "logs/impressions.jsonl" in text and not Path("logs").exists():
        words = ["simulate", "--impressions", "2000", "--quiet", "--out", "logs"]
        subprocess.run([sys.executable, "-m", "rankduel.click_logs", *words], check=True, capture_output=True)
    # A truth that is known well enough to play on.
    live, truth = rd.Site.live, rd.Site.truth
    monkeypatch.setattr(rd.Site, "live", lambda *a, **k: live(*a, **{"truth_effort": 0.01, **k}))
    monkeypatch.setattr(rd.Site, "truth", lambda *a, **k: truth(*a, **{"effort": 0.01, **k}))
    names: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
        for pattern, smaller in SMALLER:
            block = re.sub(pattern, smaller, block)
        exec(compile(block, str(page), "exec"), names)


def test_the_verdict_on_retrievers_is_as_shown(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "docs/pages/how-to/rag.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^```text\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    exec(compile(block, "rag.md", "exec"), {})
    begins, ends = shown.split("...\n")
    printed = capsys.readouterr().out
    assert printed.startswith(begins) and printed.rstrip().endswith(ends.rstrip()), printed


def test_the_pages_are_there() -> None:
    if not (ROOT / "docs/pages").is_dir():
        pytest.skip("no documentation beside the package")
    assert len(WITH_EXAMPLES) >= 6
