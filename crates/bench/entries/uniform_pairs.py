"""Random pairs: the smallest entry. It needs nothing but Python."""

import json
import random
import sys


def say(line):
    print(json.dumps(line), flush=True)


start = json.loads(sys.stdin.readline())
arms = range(start["arms"])
draw = random.Random(start["seed"])
wins = [0] * len(arms)
pair = draw.sample(arms, 2)
say({"pair": pair})
for line in sys.stdin:
    news = json.loads(line)
    # Of the step before; of several steps before, with the number of each, if outcomes are late.
    if news.get("outcome") in ("first", "second"):
        wins[pair[news["outcome"] == "second"]] += 1
    if news.get("done"):
        say({"best": max(arms, key=wins.__getitem__)})
        break
    pair = draw.sample(arms, 2)
    say({"pair": pair})
