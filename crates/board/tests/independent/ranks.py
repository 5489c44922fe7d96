"""How wide ranks of one look are, by numpy alone, as test data for the crate.

    python ranks.py            # prints the widths; needs what fits.py needs
    python ranks.py --write    # writes ranks.json beside this file
    python ranks.py --check    # compares with ranks.json

Worlds of 20 competitors with normal strengths and ties, each with 3,000 judgements of uniformly drawn pairs. Strengths, the
position effect and the tie parameter are fitted by Newton's method; errors are Wald's; the 95% quantile of the largest
standardised difference is simulated; ranks follow from the pairs that exceed it.
"""

import math

import numpy as np

from fits import lehmer, publish

COMPETITORS, ROWS, SPREAD, TIE, WORLDS = 20, 3_000, 0.8, 0.5, 20


def world(seed):
    """Rows (first, second, outcome), with the generator that the crate's test has too."""
    draw = lehmer(seed)
    unit = lambda: next(draw) / 2147483647
    normal = lambda: math.sqrt(-2 * math.log(unit())) * math.cos(2 * math.pi * unit())
    strengths = [SPREAD * normal() for _ in range(COMPETITORS)]
    rows = []
    for _ in range(ROWS):
        first = next(draw) % COMPETITORS
        second = (first + 1 + next(draw) % (COMPETITORS - 1)) % COMPETITORS
        d = strengths[first] - strengths[second]
        win, loss = math.exp(d / 2), math.exp(-d / 2)
        at = unit() * (win + loss + TIE)
        rows.append((first, second, 0 if at < win else 1 if at < win + loss else 2))
    return rows


def fit(rows):
    """Strengths and their covariances, both adding up to 0, by the Davidson model with a position effect."""
    first, second, outcome = (np.array(column) for column in zip(*rows))
    n, at = len(rows), np.arange(len(rows))
    design = np.zeros((n, COMPETITORS + 1))
    design[at, first], design[at, second], design[:, -1] = 1, -1, 1
    parameters, ln_tie = np.zeros(COMPETITORS + 1), 0.0
    for _ in range(50):
        d = design @ parameters
        weights = np.stack([np.exp(d / 2), np.exp(-d / 2), np.full(n, np.exp(ln_tie))])
        win, loss, tie = weights / weights.sum(axis=0)
        gradient = np.append(
            design.T @ (((outcome == 0) - win - ((outcome == 1) - loss)) / 2), np.sum((outcome == 2) - tie)
        )
        information = np.empty((COMPETITORS + 2, COMPETITORS + 2))
        information[:-1, :-1] = design.T @ (design * ((win + loss - (win - loss) ** 2) / 4)[:, None])
        information[-1, :-1] = information[:-1, -1] = design.T @ (-(win - loss) / 2 * tie)
        information[-1, -1] = np.sum(tie * (1 - tie))
        covariance = np.linalg.pinv(information, hermitian=True)
        step = covariance @ gradient
        parameters, ln_tie = parameters + step[:-1], ln_tie + step[-1]
        if np.max(np.abs(step)) < 1e-12:
            return parameters[:COMPETITORS], covariance[:COMPETITORS, :COMPETITORS]
    raise AssertionError("Newton's method converges")


def width(strengths, covariance, draws=100_000):
    """The quantile of the largest standardised difference, and the mean of worst rank minus best rank."""
    i, j = np.triu_indices(COMPETITORS, 1)
    error = np.sqrt(np.diag(covariance)[i] + np.diag(covariance)[j] - 2 * covariance[i, j])
    generator = np.random.default_rng(1)
    values, vectors = np.linalg.eigh(covariance)
    root = vectors * np.sqrt(np.maximum(values, 0))
    largest = []
    for _ in range(draws // 10_000):
        noise = generator.standard_normal((10_000, COMPETITORS)) @ root.T
        largest.append(np.max(np.abs(noise[:, i] - noise[:, j]) / error, axis=1))
    quantile = float(np.quantile(np.concatenate(largest), 0.95))
    known = np.abs(strengths[i] - strengths[j]) / error > quantile
    return quantile, float(COMPETITORS - 1 - 2 * np.sum(known) / COMPETITORS)


def main():
    all_worlds = [width(*fit(world(seed))) for seed in range(1, WORLDS + 1)]
    publish(
        "ranks.json",
        {
            "source": f"ranks.py with numpy {np.__version__}",
            "quantiles": [quantile for quantile, _ in all_worlds],
            "widths": [ranks for _, ranks in all_worlds],
        },
    )


if __name__ == "__main__":
    main()
