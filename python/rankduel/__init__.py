"""Which of many rankers is best, found from clicks at the least cost to users.

Dueling bandits, interleaving, multileaving and click models, for researchers and for search teams: the same numbers,
to the last digit, as the command line ``rankduel``, which this package carries.

Wherever numbers are drawn there is an argument `seed`: the same seed gives the same numbers on every machine, for any
number of threads, with every version of Python.

Examples
--------
>>> import rankduel as rd
>>> site = rd.Site.lookalike("mq2008", scale=0.05, rankers="1,5,10,20")
>>> study = site.live(["rucb", "random"], steps=2_000, runs=2, seed=1)
>>> study.curves.columns[:4]
['algorithm', 'step', 'runs', 'mean_regret']
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from rankduel._core import Impression, __version__
from rankduel.board import Board
from rankduel.clicks import ClickModel, simulate_clicks
from rankduel.commands import analyse, command, experiment, inspect
from rankduel.environments import Environment
from rankduel.findings import Findings
from rankduel.frames import Frame
from rankduel.lists import interleave, multileave
from rankduel.live import Live
from rankduel.log_rules import CreditRules
from rankduel.logs import Credited, Decision, Fault, credit_frame, decide
from rankduel.matrices import Matrix, bandit, explore
from rankduel.notes import RankduelWarning
from rankduel.policy import Policy
from rankduel.registry import algorithms, datasets, fetch_dataset
from rankduel.scores import duels_from_scores
from rankduel.settings import CompareSettings, ExploreSettings, LiveSettings, StudySettings
from rankduel.shards import merge, merge_shards, play_shard, run_shard
from rankduel.site_settings import SiteSettings
from rankduel.site_studies import Comparison, Truth
from rankduel.sites import Site
from rankduel.studies import Study
from rankduel.versions import experiment_version

__all__ = [
    "Board",
    "ClickModel",
    "CompareSettings",
    "Comparison",
    "CreditRules",
    "Credited",
    "Decision",
    "Environment",
    "ExploreSettings",
    "Fault",
    "Findings",
    "Frame",
    "Impression",
    "Live",
    "LiveSettings",
    "Matrix",
    "Policy",
    "RankduelWarning",
    "Site",
    "SiteSettings",
    "Study",
    "StudySettings",
    "Truth",
    "__version__",
    "algorithms",
    "analyse",
    "bandit",
    "command",
    "credit_frame",
    "datasets",
    "decide",
    "duels_from_scores",
    "experiment",
    "experiment_version",
    "explore",
    "fetch_dataset",
    "inspect",
    "interleave",
    "merge",
    "merge_shards",
    "multileave",
    "play_shard",
    "run_shard",
    "simulate_clicks",
]


if TYPE_CHECKING:
    from rankduel import client as client


def __getattr__(name: str) -> Any:
    # Few programs talk to a server: its client is loaded when it is used.
    if name == "client":
        return importlib.import_module("rankduel.client")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The names of the package; its modules are not among them."""
    return __all__
