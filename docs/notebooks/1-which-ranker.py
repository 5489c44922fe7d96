# %% [markdown]
# # Which ranker is best?
#
# Forty-six rankers of a data set in the shape of MQ2008, users who click, and the cost of finding the best one.

# %%
import numpy as np

import rankduel as rd

site = rd.Site.lookalike("mq2008", scale=0.1, click="navigational")
site

# %% [markdown]
# The best ranker beats all others when their lists are interleaved for these users.

# %%
truth = site.truth(effort=0.1)
print(truth)
assert len(truth.gaps) == site.arms

# %% [markdown]
# Policies look for it while users are served. `random` never learns.

# %%
study = site.live(["rucb", "mergerucb", "mdb", "random"], steps=50_000, runs=5, truth_effort=0.1)
study

# %%
study.plot();

# %%
frame = study.curves.to_pandas()
last = frame[frame.step == frame.step.max()].set_index("algorithm")["mean_regret"]
assert last.idxmin() != "random"
last.sort_values()
