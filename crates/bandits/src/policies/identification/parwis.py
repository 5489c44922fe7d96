"""Scores and disruptions of PARWiS for a few duels, to hold `parwis.rs` to: its constants are what this prints.

Scores are rank centrality as the library choix has it (0.4.1), with a node that has won and lost against every arm once. Disruptions are
computed by their definition: every possible duel is added, and scores are computed again. It needs numpy and choix:

    python3 parwis.py
"""

import choix
import numpy as np

K = 5
DUELS = [(0, 1), (2, 0), (2, 3), (2, 4), (2, 0), (0, 2), (1, 2), (2, 1), (2, 1)]


def scores(duels):
    data = [pair for arm in range(1, K + 1) for pair in [(arm, 0), (0, arm)]]
    data += [(winner + 1, loser + 1) for winner, loser in duels]
    pi = np.exp(choix.rank_centrality(K + 1, data))
    return pi / pi.sum()


def disruption(i, j):
    if i == j:
        return 0.0
    now = scores(DUELS)
    moves = [np.linalg.norm(scores(DUELS + [duel]) - now) for duel in [(i, j), (j, i)]]
    weights = now[[i + 1, j + 1]]
    return weights @ moves / weights.sum()


print([round(float(score), 12) for score in scores(DUELS)[1:]])
for i in range(K):
    print([round(float(disruption(i, j)), 12) for j in range(K)])
