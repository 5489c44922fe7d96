"""A client of the live server: asks who meets, sends what users do, and never makes a search page wait for long.

Every call ends within a time that is set, whatever the network does. A try that fails is repeated with the same idempotency
key, so that nothing is recorded twice. Clients may be shared between threads, and children of a fork may use them.

Examples
--------
>>> from rankduel.client import Client
>>> client = Client("http://127.0.0.1:7077", fallback="bm25", timeout=0.2, within=0.5)
>>> client
Client('http://127.0.0.1:7077', key=None, fallback='bm25')
"""

from rankduel.client.main import Client
from rankduel.client.pages import Chosen, Duel, Fate, Impression, click
from rankduel.client.problems import Problem
from rankduel.client.wire import Ranked

__all__ = ["Chosen", "Client", "Duel", "Fate", "Impression", "Problem", "Ranked", "click"]
