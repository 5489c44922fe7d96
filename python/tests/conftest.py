"""Common fixtures: small data, and the command line."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

import rankduel as rd

def pytest_configure(config: pytest.Config) -> None:
    """Tests of other things run on whatever data is small: what is noted of them is tested in `test_notes`."""
    config.addinivalue_line("filterwarnings", "ignore::rankduel.RankduelWarning")
    # In the background of a script Ctrl-C is ignored, also in every process that starts here.
    signal.signal(signal.SIGINT, signal.default_int_handler)


DATA = "mq2008-lookalike:0.05"
RANKERS = "1,5,10,20"


@pytest.fixture(scope="session")
def site() -> rd.Site:
    return rd.Site(DATA, rankers=RANKERS)


@pytest.fixture(scope="session")
def matrix(site: rd.Site) -> rd.Matrix:
    return site.proxy(impressions_per_pair=400)


def cli(*arguments: str, folder: Path) -> subprocess.CompletedProcess[bytes]:
    """The command line of the package, in a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "rankduel", *arguments], cwd=folder, capture_output=True, check=False, timeout=300
    )
