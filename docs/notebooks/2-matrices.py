# %% [markdown]
# # Preference matrices
#
# Estimate who beats whom, look at the matrix, and let bandits duel on it by coin flips.

# %%
import matplotlib.pyplot as plt
import numpy as np

import rankduel as rd

site = rd.Site.lookalike("mq2008", scale=0.1, click="perfect", rankers="16")
P = site.proxy(interleavings=4_000)
print(P.winner)

# %%
order = np.argsort(-P.values.mean(axis=1))
picture = plt.imshow(P.values[np.ix_(order, order)], cmap="RdBu", vmin=0, vmax=1)
plt.colorbar(picture, label="P(row beats column)")
plt.title("16 rankers, synthetic data");

# %% [markdown]
# Winners, cycles and bounds:

# %%
found = rd.analyse(P, samples=1_000)
print(found)

# %% [markdown]
# A duel on the matrix is a coin flip, so that a million steps take a moment.

# %%
study = rd.bandit(P, ["rucb", "rmed1", "mergerucb"], steps=200_000, runs=10)
study

# %% [markdown]
# How far is that from live runs?

# %%
compared = site.compare(P, ["rucb", "mergerucb"], steps=20_000, runs=5, truth_effort=0.1)
compared.differences.to_pandas().query("step == 20000")
