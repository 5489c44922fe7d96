"""Prediction-powered logistic regression by ppi-python, as test data for the crate.

    python gold.py            # prints the estimates; needs ppi-python 0.2.3
    python gold.py --write    # writes gold.json beside this file
    python gold.py --check    # compares with gold.json

Bradley-Terry without ties and order is a logistic regression without a constant, with 1 for the first of a pair and -1 for the second; the
first competitor has strength 0. People judged the first questions, a model all. The lambda of ppi-python weighs the questions without
people's judgements: it is that of the crate times their share of all questions.
"""

import json
import math
import pathlib
import sys
from importlib import metadata

import numpy as np
from ppi_py import ppi_logistic_ci, ppi_logistic_pointestimate

COMPETITORS, QUESTIONS, LABELS = 5, 1_200, 400
LAMBDAS = [0.0, 0.35, 0.8, 1.0]


def lehmer(seed):
    """Park and Miller's minimal generator: x <- 48271 x mod 2^31 - 1."""
    state = seed
    while True:
        state = state * 48271 % 2147483647
        yield state


def questions(seed):
    """Rows of first, second, whether people and whether the model prefer the first, with the generator that the crate's test has too."""
    draw = lehmer(seed)
    unit = lambda: next(draw) / 2147483647
    rows = []
    for _ in range(QUESTIONS):
        first = next(draw) % COMPETITORS
        second = (first + 1 + next(draw) % (COMPETITORS - 1)) % COMPETITORS
        difference = 0.4 * (second - first)
        people, seen = unit(), unit()
        # The model sees what people see two times in three, and favours the last competitor.
        seen = people if seen < 2 / 3 else unit()
        bias = float(first == COMPETITORS - 1) - float(second == COMPETITORS - 1)
        rows.append((first, second, people < 1 / (1 + math.exp(-difference)), seen < 1 / (1 + math.exp(-difference - bias))))
    return rows


def main():
    rows = questions(17)
    x = np.zeros((QUESTIONS, COMPETITORS))
    for number, (first, second, _, _) in enumerate(rows):
        x[number, first], x[number, second] = 1.0, -1.0
    x = x[:, 1:]
    people, model = (np.array([float(row[place]) for row in rows]) for place in (2, 3))
    data = (x[:LABELS], people[:LABELS], model[:LABELS], x[LABELS:], model[LABELS:])
    share = 1 - LABELS / QUESTIONS
    z = 1.6448536269514722
    fits = []
    for of_crate in LAMBDAS:
        low, high = ppi_logistic_ci(*data, alpha=0.1, lam=of_crate * share)
        estimate = ppi_logistic_pointestimate(*data, lam=of_crate * share)
        fits.append({"lambda": of_crate, "strengths": estimate.tolist(), "errors": ((high - low) / 2 / z).tolist()})
    tuned = ppi_logistic_pointestimate(*data)
    result = {
        "source": f"gold.py with ppi-python {metadata.version('ppi-python')}, numpy {np.__version__}",
        "fits": fits,
        "tuned": tuned.tolist(),
    }
    publish("gold.json", result)


def publish(name, result):
    """Prints the result; writes it to a file beside this one, or compares it with the file, if that is asked for."""
    path = pathlib.Path(__file__).parent / name
    if "--check" in sys.argv:
        kept = json.loads(path.read_text())
        for one, other in zip(kept["fits"], result["fits"], strict=True):
            np.testing.assert_allclose(one["strengths"], other["strengths"], atol=1e-6)
            np.testing.assert_allclose(one["errors"], other["errors"], atol=1e-6)
        np.testing.assert_allclose(kept["tuned"], result["tuned"], atol=1e-6)
        print(f"{name}: as this machine computes it")
        return
    text = json.dumps(result, indent=2) + "\n"
    if "--write" in sys.argv:
        path.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
