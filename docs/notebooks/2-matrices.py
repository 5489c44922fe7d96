# %% [markdown]
# # Preference matrices
#
# Estimate who beats whom, look at the matrix, and let bandits duel on it by coin flips.

# %%
import matplotlib.pyplot as plt
import numpy as np

import rankduel as rd

rankers = [1, 6, 26, 31, 55, 71, 88, 104, 110, 134]
site = rd.Site.lookalike("mslr", scale=0.01, rankers=rankers, credit_ties="same")
P = site.proxy(impressions_per_pair=4_000)
print(P.winner)

# %% [markdown]
# A matrix is an array of numpy, with the counts behind it:

# %%
np.asarray(P)[:3, :3].round(3), P.wins[0, 1], P.ties[0, 1], P.comparisons[0, 1], P.standard_errors[0, 1].round(4)

# %% alt="Heat map of the matrix, the strongest ranker first: blue where the row beats the column"
order = np.argsort(-P.values.mean(axis=1))
picture = plt.imshow(P.values[np.ix_(order, order)], cmap="RdBu", vmin=0.3, vmax=0.7)
names = [str(site.features[arm]) for arm in order]
plt.xticks(range(10), names, fontsize=8)
plt.yticks(range(10), names, fontsize=8)
plt.colorbar(picture, label="P(row beats column)")
plt.title("Ten rankers by feature (synthetic data)")
plt.show()

# %% [markdown]
# Winners, cycles, gaps, and what they say about the regret to expect:

# %%
found = rd.analyse(P, samples=1_000)
print(found)

# %% [markdown]
# A duel on the matrix is a coin flip, so six million steps take a moment.

# %%
study = rd.bandit(P, ["rucb", "rmed1", "mergerucb"], steps=200_000, runs=10)
study

# %%
assert all(share == 1 for share in study.curves["share_recommending_best"][-1:])

# %% [markdown]
# How far is that from live runs, in which users click?

# %%
compared = site.compare(P, ["rucb", "mergerucb"], steps=20_000, runs=5, truth_effort=0.1)
end = compared.differences.to_pandas().query("step == 20000")
end.set_index("label")[["live_regret", "proxy_regret", "relative_difference", "relative_standard_error"]].round(2)

# %% [markdown]
# Which of these differences between algorithms are more than chance?

# %%
print(study.significance())
