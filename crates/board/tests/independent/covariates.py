"""A logistic regression of strengths, the position and two covariates with errors by item, by statsmodels, as test data for the crate.

    python covariates.py            # prints the fit; needs numpy and statsmodels, and what fits.py needs
    python covariates.py --write    # writes covariates.json beside this file
    python covariates.py --check    # compares with covariates.json

The table is drawn by a generator that is written out in fits.py, so that the crate's test makes the same one.
"""

import numpy as np
import statsmodels
import statsmodels.api as sm

from fits import lehmer, publish


def table(seed, rows, competitors, items):
    """Rows (first, second, whether the first won, item, how much longer the first is, how many more headers it has)."""
    draw = lehmer(seed)
    strengths = [0.3 * (competitors - k) for k in range(competitors)]
    result = []
    for _ in range(rows):
        first = next(draw) % competitors
        second = (first + 1 + next(draw) % (competitors - 1)) % competitors
        item = next(draw) % items
        # The weaker write more.
        length = 40 * (first - second) + next(draw) % 601 - 300
        headers = next(draw) % 7 - 3
        liked = item % competitors
        d = strengths[first] - strengths[second] + 0.25 + 0.8 * ((first == liked) - (second == liked))
        d += 0.003 * length - 0.1 * headers
        result.append((first, second, next(draw) / 2147483647 < 1 / (1 + np.exp(-d)), item, length, headers))
    return result


def fit(rows, competitors):
    """Differences of strengths from the first's, the position effect and both coefficients."""
    first, second, won, item, length, headers = (np.array(column) for column in zip(*rows))
    design = np.zeros((len(rows), competitors + 2))
    design[np.arange(len(rows)), first] += 1
    design[np.arange(len(rows)), second] -= 1
    design[:, 0] = 1  # the position effect instead of the strength that is fixed
    design[:, competitors], design[:, competitors + 1] = length, headers
    model = sm.GLM(won, design, family=sm.families.Binomial())
    plain = model.fit(tol=1e-14, maxiter=100)
    by_item = model.fit(tol=1e-14, maxiter=100, cov_type="cluster", cov_kwds={"groups": item, "use_correction": False})
    groups = len(set(item.tolist()))
    errors = by_item.bse * np.sqrt(groups / (groups - 1))
    k = competitors
    return {
        "differences": plain.params[1:k].tolist(),
        "model_errors": plain.bse[1:k].tolist(),
        "cluster_errors": errors[1:k].tolist(),
        "position": float(plain.params[0]),
        "position_cluster_error": float(errors[0]),
        "coefficients": plain.params[k:].tolist(),
        "coefficient_model_errors": plain.bse[k:].tolist(),
        "coefficient_cluster_errors": errors[k:].tolist(),
        "ln_likelihood": float(plain.llf),
    }


def main():
    rows = table(seed=13, rows=900, competitors=6, items=40)
    source = f"covariates.py with numpy {np.__version__}, statsmodels {statsmodels.__version__}"
    publish("covariates.json", {"source": source, "fit": fit(rows, 6)})


if __name__ == "__main__":
    main()
