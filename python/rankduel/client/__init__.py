"""A client of the live server: asks which rankers meet, sends clicks, and never makes a search page wait for long.

Every call ends within a time limit, whatever the network does. Failed attempts are repeated with the same idempotency key, so that
nothing is recorded twice. Threads may share a client, and so may the children of a fork.

Examples
--------
>>> from rankduel.client import Client
>>> client = Client("http://127.0.0.1:7077", fallback="bm25", timeout=0.2, within=0.5)
>>> client
Client('http://127.0.0.1:7077', key=None, fallback='bm25')
"""

from rankduel.client.experiments import ExperimentSettings
from rankduel.client.main import Client
from rankduel.client.pages import Chosen, Duel, Fate, Impression, click, outcome
from rankduel.client.problems import Problem
from rankduel.client.wire import Ranked

__all__ = ["Chosen", "Client", "Duel", "ExperimentSettings", "Fate", "Impression", "Problem", "Ranked", "click", "outcome"]
