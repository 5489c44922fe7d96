"""How many duels it takes to identify the best arm, by the rules in `policies/identification`, and the regret of MultiRUCB.

Written from the rules alone, in another language and in batches of draws, to hold `identification.rs` and `published.rs` to:
their constants are what this prints. It needs numpy and scipy:

    python3 independent.py 8000
"""

import math
import sys

import numpy as np
from scipy.special import gammaln


def arithmetic(k, step=0.05):
    return np.array([[0.5 + step * (j - i) for j in range(k)] for i in range(k)])


def btl(strengths):
    u = np.array(strengths)
    return u[:, None] / (u[:, None] + u[None, :])


def no_condorcet():
    up = [[0.7, 0.7, 0.7, 0.35], [0, 0.7, 0.3, 0.7], [0, 0, 0.7, 0.7], [0, 0, 0, 0.6]]
    p = np.full((5, 5), 0.5)
    for i in range(5):
        for j in range(i + 1, 5):
            p[i, j] = up[i][j - 1]
            p[j, i] = 1 - p[i, j]
    return p


def first_hit(rng, p, stop, chunk=512):
    """Duels with probability p until stop(wins, duels) (arrays) is true; returns wins, duels."""
    w0 = n0 = 0
    while True:
        w = w0 + np.cumsum(rng.random(chunk) < p)
        n = n0 + np.arange(1, chunk + 1)
        hit = stop(w, n)
        if hit.any():
            at = int(np.argmax(hit))
            return int(w[at]), int(n[at])
        w0, n0 = int(w[-1]), int(n[-1])


def dkwt(P, rng, delta=0.05):
    k = len(P)
    order = list(rng.permutation(k))
    champion = order.pop()
    used = 0
    while order:
        other = order.pop()
        s = 1
        while True:
            g = 6 * delta / k / (math.pi**2 * s * s)
            h = 2.0 ** (-s - 1)
            t = math.ceil(8 * math.log(4 / g) / h**2)
            w = rng.binomial(t, P[champion, other])
            used += t
            if abs(2 * w - t) / t > h:
                break
            s += 1
        if 2 * w < t:
            champion = other
    return champion, used


def knockout(P, rng, eps=0.05, delta=0.05, gamma=1.0):
    arms = list(range(len(P)))
    i = 1
    used = 0
    while len(arms) > 1:
        e = (2 ** (1 / 3) - 1) * eps / (gamma * 2 ** (i / 3))
        d = delta / 2**i
        m = math.log(2 / d) / (2 * e * e)

        def stop(w, n, d=d, e=e, m=m):
            c = np.sqrt(np.log(4 * n.astype(float) ** 2 / d) / (2 * n))
            return ~((np.abs(w / n - 0.5) <= c - e) & (n <= m))

        perm = [arms[x] for x in rng.permutation(len(arms))]
        nxt = []
        if len(perm) % 2:
            nxt.append(perm.pop())
        for a, b in zip(perm[::2], perm[1::2]):
            w, n = first_hit(rng, P[a, b], stop)
            used += n
            nxt.append(a if 2 * w > n else b)
        arms = nxt
        i += 1
    return arms[0], used


def sequential_elimination(P, rng, eps=0.05, delta=0.05):
    k = len(P)
    d = delta / k
    most = 2 * math.log(2 / d) / eps**2

    def stop(w, n):
        c = np.sqrt(np.log(4 * n.astype(float) ** 2 / d) / (2 * n))
        return ~((np.abs(w / n - 0.5 - eps / 2) <= c) & (n < most))

    order = list(rng.permutation(k))
    anchor = order.pop()
    used = 0
    for c in order:
        w, n = first_hit(rng, P[c, anchor], stop)
        used += n
        if w / n > 0.5 + eps / 2:
            anchor = c
    return anchor, used


def mallows_mpi(P, rng, delta=0.05):
    k = len(P)

    def stop(w, n):
        n = n.astype(float)
        return np.abs(w / n - 0.5) > np.sqrt(np.log(4 * k * n**2 / delta) / (2 * n))

    order = list(rng.permutation(k))
    champion = order.pop()
    used = 0
    for c in order:
        w, n = first_hit(rng, P[champion, c], stop)
        used += n
        if w / n < 0.5:
            champion = c
    return champion, used


def pl_pac(P, rng, eps=0.05, delta=0.05):
    k = len(P)
    W = np.zeros((k, k))
    A = np.arange(k)
    used = 0
    while True:
        pivot = rng.choice(A)
        rest = A[A != pivot]
        beaten = rng.random(len(rest)) < P[pivot, rest]
        used += len(rest)
        up, down = rest[~beaten], rest[beaten]
        W[up, pivot] += 1
        W[pivot, down] += 1
        W[np.ix_(up, down)] += 1
        N = W + W.T
        with np.errstate(divide="ignore", invalid="ignore"):
            p = np.where(N > 0, W / N, 0.5)
            c = np.where(N > 0, np.sqrt(np.log(4 * k * k * N**2 / delta) / (2 * N)), np.inf)
        S = np.ix_(A, A)
        A = A[~(p + c < 0.5)[S].any(axis=1)]
        S = np.ix_(A, A)
        ok = (p - c > 0.5 - eps)[S] | np.eye(len(A), dtype=bool)
        if ok.all(axis=1).any():
            return A[ok.all(axis=1)][0], used


def verification(P, rng, delta=0.05, kappa=1 / 3):
    k = len(P)
    used, r = 0, 0

    def bounds(W, n, d):
        n = np.maximum(n, 1).astype(float)
        c = np.sqrt(np.log(2 * k * k * n**2 / d) / (2 * n))
        return W / n - c, W / n + c

    while True:
        r += 1
        W = np.zeros((k, k))
        n = np.zeros((k, k))
        play = ~np.eye(k, dtype=bool)
        while play.any():
            both = np.triu(play | play.T)
            won = (rng.random((k, k)) < P) & both
            W += won + (both & ~won).T
            n += both + both.T
            used += both.sum()
            low, up = bounds(W, n, kappa)
            np.fill_diagonal(up, np.inf)
            enough = (low > 0.5) | ((up < 0.5) & (0.5 - low < 2 * (0.5 - up)))
            enough |= (low < 0.5) & (up.min(axis=1)[:, None] < low)
            play &= ~enough
        low, up = bounds(W, n, kappa)
        np.fill_diagonal(up, np.inf)
        np.fill_diagonal(low, 1)
        doubts = (low < 0.5).sum(axis=1)
        best = rng.choice(np.flatnonzero(doubts == doubts.min()))
        rival = up.argmin(axis=1)
        left = [x for x in range(k) if x != best]
        wins, t, failed = np.zeros(k), 0, False
        while left and not failed:
            t += 1
            used += len(left)
            x = np.array(left)
            wins[x] += rng.random(len(x)) < P[x, rival[x]]
            low, up = bounds(wins[x], np.full(len(x), t), delta / (2 * r * r))
            failed = (low > 0.5).any()
            left = list(x[up >= 0.5])
        if not failed:
            return best, used


def nts(P, rng, h=0.05, gamma=0.05):
    k = len(P)
    g = gamma / k
    lead = math.ceil(math.log((1 - g) / g) / math.log((0.5 + h) / (0.5 - h)))
    used = 0
    lost = {}

    def stop(w, n):
        return np.abs(2 * w - n) >= lead

    def match(a, b):
        nonlocal used
        w, n = first_hit(rng, P[a, b], stop)
        used += n
        x, y = (a, b) if 2 * w > n else (b, a)
        lost.setdefault(y, set()).add(x)
        return x

    perm = list(rng.permutation(k))
    full = 1 << (k - 1).bit_length()
    byes = full - k
    sitting, playing = perm[:byes], perm[byes:]
    arms = sitting + [match(a, b) for a, b in zip(playing[::2], playing[1::2])]
    while len(arms) > 1:
        arms = [arms[x] for x in rng.permutation(len(arms))]
        arms = [match(a, b) for a, b in zip(arms[::2], arms[1::2])]
    c = arms[0]
    for o in rng.permutation(k):
        if o != c and c not in lost.get(o, ()) and match(c, o) != c:
            return None, used
    return c, used


def pocowista(P, rng, delta=0.05):
    k = len(P)
    th = math.log(delta / (k * (k - 1) / 2) / 2)

    def stop(w, n):
        l = n - w
        return gammaln(n + 2) - gammaln(w + 1) - gammaln(l + 1) - n * math.log(2) <= th

    def pick(values):
        return rng.choice(np.flatnonzero(values == values.max()))

    met = np.eye(k, dtype=bool)
    b = np.zeros(k, int)
    used = 0
    while True:
        p = b + (~met).sum(1)
        top = int(np.argmax(b))
        if b[top] >= max(p[j] for j in range(k) if j != top):
            return top, used
        i = pick(p)
        j = pick(np.where(met[i], -1, b))
        w, n = first_hit(rng, P[i, j], stop)
        used += n
        met[i, j] = met[j, i] = True
        b[i if 2 * w > n else j] += 1


def multi_rucb(P, rng, horizon, alpha=0.51, m=4):
    """The regret after `horizon` steps: by how much the best arm beats those of the set, on average."""
    k = len(P)
    w = np.zeros((k, k))
    favourite = None
    total = 0.0
    for t in range(1, horizon + 1):
        n = w + w.T
        seen = n > 0
        safe = np.where(seen, n, 1)
        u = np.where(seen, w / safe + np.sqrt(alpha * math.log(t) / safe), 2.0)
        np.fill_diagonal(u, 0.5)
        C = list(np.flatnonzero((u >= 0.5).all(1)))
        if favourite not in C:
            favourite = None
        if not C:
            chosen = rng.choice(k, min(m, k), replace=False)
        elif len(C) == 1:
            favourite, chosen = C[0], C
        elif len(C) <= m:
            chosen = C
        elif favourite is None:
            chosen = rng.choice(C, m, replace=False)
        else:
            others = [c for c in C if c != favourite]
            if rng.random() < 0.5:
                chosen = [favourite, *rng.choice(others, m - 1, replace=False)]
            else:
                chosen = rng.choice(others, m, replace=False)
        total += float(np.mean([P[0, a] - 0.5 for a in chosen]))
        for x, a in enumerate(chosen):
            for b in chosen[x + 1 :]:
                if rng.random() < P[a, b]:
                    w[a, b] += 1
                else:
                    w[b, a] += 1
    return total


if __name__ == "__main__":
    runs = int(sys.argv[1])
    eight, none = arithmetic(8), no_condorcet()
    five = arithmetic(5, 0.1)
    utilities = btl([0.7**i for i in range(8)])
    problems = {"eight": eight, "five": five, "utilities": utilities, "none": none}
    cases = [
        ("dkwt", dkwt, eight, 0),
        ("knockout", knockout, eight, 0),
        ("knockout:epsilon=.2", lambda P, r: knockout(P, r, 0.2), eight, 0),
        ("nts", nts, eight, 0),
        ("nts", nts, none, None),
        ("pocowista", pocowista, eight, 0),
        ("pocowista", pocowista, none, 0),
        ("sequential-elimination", sequential_elimination, eight, 0),
        ("mallows-mpi", mallows_mpi, eight, 0),
        ("mallows-mpi:delta=.2", lambda P, r: mallows_mpi(P, r, 0.2), eight, 0),
        ("pl-pac", pl_pac, utilities, 0),
        ("pl-pac:epsilon=.08", lambda P, r: pl_pac(P, r, 0.08), utilities, 0),
        ("verification", verification, five, 0),
        ("verification:delta=.000001", lambda P, r: verification(P, r, 1e-6), five, 0),
        ("sequential-elimination:epsilon=.07", lambda P, r: sequential_elimination(P, r, 0.07), eight, 0),
    ]
    for name, rule, P, right in cases:
        rng = np.random.default_rng(7)
        # Two of them go step by step.
        played = runs // 20 if name.startswith(("pl-pac", "verification")) else runs
        out = [rule(P, rng) for _ in range(played)]
        used = np.array([u for _, u in out], float)
        print(
            name,
            next(n for n, m in problems.items() if m is P),
            f"{used.mean():.1f} +- {used.std(ddof=1) / played**0.5:.1f}",
            "right",
            sum(a == right for a, _ in out),
            "of",
            played,
            flush=True,
        )
    for m in (4, 2):
        rng = np.random.default_rng(7)
        regret = np.array([multi_rucb(eight, rng, 3_000, m=m) for _ in range(runs // 20)])
        print(f"multirucb:m={m} eight {regret.mean():.2f} +- {regret.std(ddof=1) / len(regret) ** 0.5:.2f}", flush=True)
