"""Every pair equally often in random order, and Bradley-Terry strengths by choix (`pip install choix`) in the end."""

import itertools
import json
import random
import sys

import choix


def say(line):
    print(json.dumps(line), flush=True)


start = json.loads(sys.stdin.readline())
arms = start["arms"]
draw = random.Random(start["seed"])


def forever():
    while True:
        pairs = [draw.sample(pair, 2) for pair in itertools.combinations(range(arms), 2)]
        draw.shuffle(pairs)
        yield from pairs


pairs = forever()
pair = next(pairs)
won = []
say({"pair": pair})
for line in sys.stdin:
    news = json.loads(line)
    outcome = news["outcome"]
    if outcome in ("first", "second"):
        won.append(tuple(pair if outcome == "first" else reversed(pair)))
    if news.get("done"):
        strengths = choix.ilsr_pairwise(arms, won, alpha=0.01) if won else [0.0] * arms
        say({"order": sorted(range(arms), key=lambda arm: -strengths[arm])})
        break
    pair = next(pairs)
    say({"pair": pair})
