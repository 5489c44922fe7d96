# %% [markdown]
# # Which ranker is best?
#
# Ten rankers, users who click, and the cost of finding the best one. The data have the shape of MSLR-WEB30K, but are
# generated: every result says so.

# %%
import rankduel as rd

rankers = [1, 6, 26, 31, 55, 71, 88, 104, 110, 134]
site = rd.Site.lookalike("mslr", scale=0.01, rankers=rankers, credit_ties="same")
site

# %% [markdown]
# Ten features of the data set are the rankers. How good each is by the labels of the documents:

# %% alt="nDCG@10 of ten rankers: feature 134 has the highest"
import matplotlib.pyplot as plt

names = [f"feature {feature}" for feature in site.features]
plt.figure(figsize=(6, 3))
plt.barh(names, site.ndcg())
plt.xlabel("nDCG@10")
plt.title("Ten rankers (synthetic data)")
plt.show()

# %% [markdown]
# Users know nothing of labels. They see a list mixed from those of two rankers, and their clicks decide. The *best* ranker
# beats every other in such comparisons:

# %%
truth = site.truth(effort=0.1)
print(truth)

# %%
assert truth.measure == "condorcet" and truth.z > 3
assert site.features[truth.winner] == 134

# %% [markdown]
# Policies look for it while users are served. In every step they choose rankers, and *regret* adds up how far those were
# behind the best. `random` never learns: its regret is what a policy has to beat.

# %%
study = site.live(["rucb", "mergerucb", "mdb", "random"], steps=50_000, runs=5, seed=1, truth_effort=0.1)
study

# %% [markdown]
# Results are frames of pandas, polars or pyarrow:

# %%
frame = study.curves.to_pandas()
last = frame[frame.step == frame.step.max()].set_index("label")
last[["mean_regret", "standard_error", "share_recommending_best"]].sort_values("mean_regret").round(2)

# %%
assert last["mean_regret"].idxmax() == "random"

# %% [markdown]
# The same with matplotlib, to draw further into:

# %% alt="Mean regret of four policies by impressions: that of mdb stays lowest"
ax = study.plot()
ax.set_ylim(0, 1_000)
plt.show()
