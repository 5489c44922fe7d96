"""Fits of two tables by scipy, statsmodels and choix, as test data for the crate.

    python fits.py            # prints both tables' fits; needs numpy, scipy, statsmodels and choix
    python fits.py --write    # writes fits.json beside this file
    python fits.py --check    # compares with fits.json

Tables are drawn by a generator that is written out here, so that the crate's test makes the same ones.
"""

import json
import pathlib
import sys
from importlib import metadata

import choix
import numpy as np
import scipy
import scipy.optimize
import statsmodels
import statsmodels.api as sm


def lehmer(seed):
    """Park and Miller's minimal generator: x <- 48271 x mod 2^31 - 1."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state


def table(seed, rows, competitors, items, tie, position):
    """Rows (first, second, outcome, item): outcome 0 first wins, 1 second wins, 2 tie."""
    draw = lehmer(seed)
    strengths = [0.3 * (competitors - k) for k in range(competitors)]
    result = []
    for _ in range(rows):
        first = next(draw) % competitors
        second = (first + 1 + next(draw) % (competitors - 1)) % competitors
        item = next(draw) % items
        # Items prefer one competitor each, so that judgements of an item depend on each other.
        liked = item % competitors
        d = strengths[first] - strengths[second] + position + 0.8 * ((first == liked) - (second == liked))
        win, loss = np.exp(d / 2), np.exp(-d / 2)
        at = next(draw) / 2147483647 * (win + loss + tie)
        result.append((first, second, 0 if at < win else 1 if at < win + loss else 2, item))
    return result


def davidson(rows, competitors):
    """Maximum likelihood of strengths, position effect and ln nu, with the inverse of a numerical Hessian."""
    first, second, outcome, _ = (np.array(column) for column in zip(*rows))

    def split(x):
        return np.append(x[: competitors - 1], -np.sum(x[: competitors - 1])), x[-2], x[-1]

    def loss(x):
        strengths, gamma, tie = split(x)
        d = strengths[first] - strengths[second] + gamma
        scores = np.stack([d / 2, -d / 2, np.full_like(d, tie)])
        return np.sum(scipy.special.logsumexp(scores, axis=0) - scores[outcome, np.arange(len(d))])

    size = competitors + 1
    x = np.zeros(size)
    for _ in range(100):
        gradient, hessian = derivatives(loss, x)
        step = np.linalg.solve(hessian, gradient)
        x = x - step
        if np.max(np.abs(step)) < 1e-9:
            break
    check = scipy.optimize.minimize(loss, x, method="BFGS", options={"gtol": 1e-8})
    assert np.max(np.abs(check.x - x)) < 1e-5, "two optimisers agree"
    _, hessian = derivatives(loss, x)
    covariance = np.linalg.inv(hessian)
    # From the free strengths to all of them.
    back = np.zeros((competitors, size))
    back[: competitors - 1, : competitors - 1] = np.eye(competitors - 1)
    back[-1, : competitors - 1] = -1
    strengths, gamma, tie = split(x)
    all_covariances = back @ covariance @ back.T
    errors = np.sqrt(np.diag(all_covariances))
    return {
        "strengths": strengths.tolist(),
        "errors": errors.tolist(),
        "position": gamma,
        "position_error": float(np.sqrt(covariance[-2, -2])),
        "nu": float(np.exp(tie)),
        "ln_likelihood": -float(loss(x)),
        "max_t": max_t(strengths, all_covariances),
    }


def rao_kupper(rows, competitors):
    """Maximum likelihood of strengths, position effect and ln(theta - 1), with the inverse of a numerical Hessian."""
    first, second, outcome, _ = (np.array(column) for column in zip(*rows))

    def split(x):
        return np.append(x[: competitors - 1], -np.sum(x[: competitors - 1])), x[-2], x[-1]

    def loss(x):
        strengths, gamma, free = split(x)
        one, other, theta = np.exp(strengths[first] + gamma), np.exp(strengths[second]), 1 + np.exp(free)
        win, loss = one / (one + theta * other), other / (other + theta * one)
        tie = one * other * (theta**2 - 1) / ((one + theta * other) * (theta * one + other))
        return -np.sum(np.log(np.choose(outcome, [win, loss, tie])))

    start = np.zeros(competitors + 1)
    x = scipy.optimize.minimize(loss, start, method="BFGS", options={"gtol": 1e-6}).x
    for _ in range(5):
        gradient, hessian = derivatives(loss, x)
        x = x - np.linalg.solve(hessian, gradient)
    gradient, hessian = derivatives(loss, x)
    assert np.max(np.abs(np.linalg.solve(hessian, gradient))) < 1e-9, f"Newton's method converges: {gradient}"
    covariance = np.linalg.inv(hessian)
    back = np.zeros((competitors, competitors + 1))
    back[: competitors - 1, : competitors - 1] = np.eye(competitors - 1)
    back[-1, : competitors - 1] = -1
    strengths, gamma, free = split(x)
    return {
        "strengths": strengths.tolist(),
        "errors": np.sqrt(np.diag(back @ covariance @ back.T)).tolist(),
        "position": gamma,
        "position_error": float(np.sqrt(covariance[-2, -2])),
        "theta": float(1 + np.exp(free)),
        "ln_likelihood": -float(loss(x)),
    }


def max_t(strengths, covariance, draws=400_000):
    """The 95% quantile of the largest standardised difference, and the mean width of the ranks it allows."""
    upper = np.triu_indices(len(strengths), 1)
    variances = np.diag(covariance)
    error = np.sqrt(variances[upper[0]] + variances[upper[1]] - 2 * covariance[upper])
    noise = np.random.default_rng(1).multivariate_normal(np.zeros(len(strengths)), covariance, size=draws)
    largest = np.max(np.abs(noise[:, upper[0]] - noise[:, upper[1]]) / error, axis=1)
    quantile = float(np.quantile(largest, 0.95))
    z = (strengths[upper[0]] - strengths[upper[1]]) / error
    width = len(strengths) - 1 - 2 * np.sum(np.abs(z) > quantile) / len(strengths)
    return {"quantile": quantile, "width": float(width)}


def derivatives(function, x):
    """Central differences of the fourth order, by complex-free steps that balance rounding."""
    h = 1e-3
    n = len(x)
    unit = np.eye(n) * h
    gradient = np.array(
        [(8 * (function(x + e) - function(x - e)) - (function(x + 2 * e) - function(x - 2 * e))) / (12 * h) for e in unit]
    )
    hessian = np.empty((n, n))
    for i, a in enumerate(unit):
        for j, b in enumerate(unit[: i + 1]):

            def mixed(s):
                return function(x + s * (a + b)) - function(x + s * (a - b)) - function(x - s * (a - b)) + function(x - s * (a + b))

            hessian[i, j] = hessian[j, i] = (16 * mixed(1) - mixed(2)) / (48 * h * h) if i != j else (
                -function(x + 2 * a) + 16 * function(x + a) - 30 * function(x) + 16 * function(x - a) - function(x - 2 * a)
            ) / (12 * h * h)
    return gradient, hessian


def clustered(rows, competitors):
    """A logistic regression with standard errors by item, one strength fixed at 0, and a max-t quantile."""
    first, second, outcome, item = (np.array(column) for column in zip(*rows))
    design = np.zeros((len(rows), competitors))
    design[np.arange(len(rows)), first] += 1
    design[np.arange(len(rows)), second] -= 1
    design[:, 0] = 1  # the position effect instead of the strength that is fixed
    model = sm.GLM(outcome == 0, design, family=sm.families.Binomial())
    fit = model.fit(tol=1e-14, maxiter=100)
    by_item = model.fit(
        tol=1e-14, maxiter=100, cov_type="cluster", cov_kwds={"groups": item, "use_correction": False}
    )
    # Strengths less the first's: their differences from it.
    groups = len(set(item.tolist()))
    return {
        "differences": fit.params[1:].tolist(),
        "model_errors": fit.bse[1:].tolist(),
        "cluster_errors": (by_item.bse[1:] * np.sqrt(groups / (groups - 1))).tolist(),
        "position": float(fit.params[0]),
        "position_cluster_error": float(by_item.bse[0] * np.sqrt(groups / (groups - 1))),
        "ln_likelihood": float(fit.llf),
        "groups": groups,
    }


def without_position(rows, competitors):
    """Strengths by the iterative Luce spectral ranking of choix, which adds them up to 0; without ties and position."""
    won = [(first, second) if outcome == 0 else (second, first) for first, second, outcome, _ in rows]
    spectral = choix.ilsr_pairwise(competitors, won, alpha=0.0, max_iter=1000, tol=1e-12)
    newton = choix.opt_pairwise(competitors, won, alpha=0.0, method="Newton-CG", tol=1e-10)
    assert np.max(np.abs(spectral - newton)) < 1e-6, "two methods of choix agree"
    return {"strengths": (spectral - np.mean(spectral)).tolist()}


def publish(name, result):
    """Prints the result; writes it to a file beside this one, or compares it with the file, if that is asked for."""
    path = pathlib.Path(__file__).parent / name
    if "--check" in sys.argv:
        same(name, json.loads(path.read_text()), result)
        print(f"{name}: as this machine computes it")
        return
    text = json.dumps(result, indent=2) + "\n"
    if "--write" in sys.argv:
        path.write_text(text)
    print(text)


# What comes from simulations depends a little on how a machine factorises matrices.
SIMULATED = {"quantile": 0.03, "quantiles": 0.03, "width": 0.5, "widths": 0.5}


def same(place, kept, found, tolerance=1e-8):
    """Fails where numbers differ by more than the tolerance; texts name versions, and may differ."""
    if isinstance(kept, dict):
        assert kept.keys() == found.keys(), f"{place}: {kept.keys()} and {found.keys()}"
        for key in kept:
            same(f"{place}, {key}", kept[key], found[key], SIMULATED.get(key, tolerance))
    elif isinstance(kept, list):
        assert len(kept) == len(found), f"{place}: {len(kept)} and {len(found)} values"
        for number, pair in enumerate(zip(kept, found)):
            same(f"{place}, {number}", *pair, tolerance)
    elif not isinstance(kept, str):
        assert abs(kept - found) < tolerance, f"{place}: {kept} in the file, {found} found"


def main():
    ties = table(seed=11, rows=900, competitors=6, items=40, tie=0.6, position=0.25)
    binary = table(seed=12, rows=900, competitors=6, items=40, tie=0.0, position=0.25)
    result = {
        "source": f"fits.py with numpy {np.__version__}, scipy {scipy.__version__}, statsmodels {statsmodels.__version__}, "
        f"choix {metadata.version('choix')}",
        "davidson": davidson(ties, 6),
        "rao_kupper": rao_kupper(ties, 6),
        "clustered": clustered(binary, 6),
        "without_position": without_position(binary, 6),
    }
    publish("fits.json", result)


if __name__ == "__main__":
    main()
