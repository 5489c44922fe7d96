"""One weight of the model for all strengths, or one for each: how often intervals of 95% hold the truth, by numpy alone.

    python scope.py 1000      # prints, for each number of labels, what 1,000 tables measured; needs numpy

Six competitors without ties, 2,000 questions; the model sees nine times in ten what people see, and favours two competitors. The equation
and the errors are those of `statistics::bradley_terry::PredictionPowered`.
"""

import sys

import numpy as np

COMPETITORS, QUESTIONS = 6, 2_000
STRENGTHS = np.linspace(-1, 1, COMPETITORS)
FAVOURED = np.array([1.0, -0.5, 0, 0, 0, 0])
CENTRED = np.eye(COMPETITORS) - 1 / COMPETITORS


def win(difference):
    return 1 / (1 + np.exp(-difference))


def questions(rng):
    """Differences of competitors, and whether people and the model prefer the first."""
    first = rng.integers(0, COMPETITORS, QUESTIONS)
    second = (first + 1 + rng.integers(0, COMPETITORS - 1, QUESTIONS)) % COMPETITORS
    x = np.zeros((QUESTIONS, COMPETITORS))
    x[np.arange(QUESTIONS), first], x[np.arange(QUESTIONS), second] = 1, -1
    ahead = x @ STRENGTHS + rng.logistic(size=QUESTIONS)
    seen = rng.random(QUESTIONS) < 0.9
    model = np.where(seen, ahead + x @ FAVOURED > 0, rng.random(QUESTIONS) < win(x @ FAVOURED))
    return x, (ahead > 0) * 1.0, model * 1.0


class Table:
    def __init__(self, rng, labels):
        self.x, self.people, self.model = questions(rng)
        self.labelled = np.arange(QUESTIONS) < labels
        self.density = labels / QUESTIONS

    def solve(self, weight, start):
        strengths = start
        for _ in range(50):
            p = win(self.x @ strengths)
            curvature = (np.where(self.labelled, 1 - weight, 0) + weight * self.density) * p * (1 - p)
            slope = np.where(self.labelled, self.people - p - weight * (self.model - p), 0) + weight * self.density * (self.model - p)
            information = self.x.T @ (self.x * curvature[:, None]) + 1
            step = np.linalg.solve(information, self.x.T @ slope)
            strengths = strengths + step * min(1, 2 / np.abs(step).max())
            if np.abs(step).max() < 1e-10 or np.abs(strengths).max() > 8:
                break
        return strengths, np.linalg.inv(information)

    def influences(self, strengths, inverse):
        """Of people's labels, and of what the model adds, by question and strength."""
        p = win(self.x @ strengths)[:, None]
        model = self.x * (self.model[:, None] - p)
        model = (model - model.mean(0)) * (self.labelled - self.density)[:, None]
        people = self.x * (self.people[:, None] - p) * self.labelled[:, None]
        return people @ inverse @ CENTRED, model @ inverse @ CENTRED


def errors(people, model, weight):
    return np.sqrt(((people - weight * model) ** 2).sum(0) * QUESTIONS / (QUESTIONS - 1))


def main():
    tables = int(sys.argv[1])
    for labels in (100, 200, 400):
        rng = np.random.default_rng(labels)
        held = {"one for all": [], "one for each": []}
        for _ in range(tables):
            table = Table(rng, labels)
            alone, inverse = table.solve(0.0, np.zeros(COMPETITORS))
            if np.abs(alone).max() > 8:
                continue  # Somebody never won, and no finite strengths fit.
            people, model = table.influences(alone, inverse)
            weight = np.clip((people * model).sum() / (model**2).sum(), 0, 1)
            weights = np.clip((people * model).sum(0) / (model**2).sum(0), 0, 1)
            for name, chosen in (("one for all", np.full(COMPETITORS, weight)), ("one for each", weights)):
                found = np.zeros((2, COMPETITORS))
                for competitor, own in enumerate(chosen):
                    strengths, inverse = table.solve(own, alone)
                    error = errors(*table.influences(strengths, inverse), own)
                    found[:, competitor] = (CENTRED @ strengths)[competitor], error[competitor]
                held[name].append(np.abs(found[0] - STRENGTHS) < 1.96 * found[1])
        print(f"{labels} labels:", ", ".join(f"{name} {np.mean(one):.3f}" for name, one in held.items()))


if __name__ == "__main__":
    main()
