"""RUCB (M. Zoghi et al., ICML 2014, https://proceedings.mlr.press/v32/zoghi14.html) in plain Python.

An arm that may still beat all others is drawn; it meets the arm that may beat it most easily.
"""

import json
import math
import random
import sys

ALPHA = 0.51


def say(line):
    print(json.dumps(line), flush=True)


start = json.loads(sys.stdin.readline())
arms = range(start["arms"])
draw = random.Random(start["seed"])
wins = [[0.0] * len(arms) for _ in arms]


def upper(i, j, step):
    met = wins[i][j] + wins[j][i]
    if i == j or met == 0:
        return 0.5 if i == j else 2.0
    return wins[i][j] / met + math.sqrt(ALPHA * math.log(step) / met)


def choose(step):
    may_be_best = [i for i in arms if all(upper(i, j, step) >= 0.5 for j in arms)]
    first = draw.choice(may_be_best or list(arms))
    others = [j for j in arms if j != first] if len(may_be_best) != 1 else list(arms)
    bounds = {j: upper(j, first, step) for j in others}
    return [first, draw.choice([j for j in others if bounds[j] == max(bounds.values())])]


asked = {1: choose(1)}
say({"pair": asked[1]})
for step, line in enumerate(sys.stdin, start=2):
    news = json.loads(line)
    prompt = [{"of": step - 1, "outcome": news.get("outcome")}]
    for one in news.get("outcomes", prompt):
        first, second = asked.pop(one["of"])
        share = {"first": 1.0, "second": 0.0, "tie": 0.5}.get(one["outcome"])
        if share is not None:
            wins[first][second] += share
            wins[second][first] += 1.0 - share
    if news.get("done"):
        beaten = [sum(wins[i][j] > wins[j][i] for j in arms) for i in arms]
        say({"best": max(arms, key=beaten.__getitem__)})
        break
    asked[step] = choose(step)
    say({"pair": asked[step]})
