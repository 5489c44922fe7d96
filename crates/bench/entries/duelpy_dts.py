"""Double Thompson sampling of duelpy (`pip install duelpy`). The library asks for duels; each is a line."""

import json
import random
import sys

import numpy

# duelpy 1.0 still uses the names that NumPy 1.24 dropped.
numpy.float, numpy.int = float, int

from duelpy.algorithms.double_thompson_sampling import DoubleThompsonSampling
from duelpy.feedback import FeedbackMechanism


def say(line):
    print(json.dumps(line), flush=True)


start = json.loads(sys.stdin.readline())
coins = random.Random(start["seed"])


class Users(FeedbackMechanism):
    """Comparisons made by the benchmark."""

    def duel(self, arm_i_index, arm_j_index):
        say({"pair": [int(arm_i_index), int(arm_j_index)]})
        outcome = json.loads(sys.stdin.readline())["outcome"]
        return outcome == "first" if outcome in ("first", "second") else coins.random() < 0.5


algorithm = DoubleThompsonSampling(
    Users(list(range(start["arms"]))),
    time_horizon=start["horizon"],
    random_state=numpy.random.RandomState(start["seed"] % 2**32),
)
algorithm.run()
say({"best": int(algorithm.get_copeland_winner())})
