# %% [markdown]
# # Lists for real users
#
# Mix two lists, show the result, keep a receipt, and credit the clicks when they come. The users here are made up.

# %%
import numpy as np

import rankduel as rd

ours = ["pie", "crumble", "tart", "cider", "juice"]
theirs = ["strudel", "pie", "cake", "tart", "juice"]
impression = rd.interleave(ours, theirs, length=5, method="team-draft", seed=1)
impression.shown

# %%
receipt = impression.to_bytes()
len(receipt), rd.Impression.from_bytes(receipt).credit(clicked=["strudel"])

# %% [markdown]
# Two thousand users who like cake and strudel: which ranker do they prefer, and how sure is it?

# %%
rng = np.random.default_rng(7)
liked = {"strudel": 0.5, "cake": 0.4, "pie": 0.3}
outcomes = {"first": 0, "second": 0, "tie": 0}
for user in range(2_000):
    impression = rd.interleave(ours, theirs, length=5, method="team-draft", seed=user)
    clicked = [document for document in impression.shown if rng.random() < liked.get(document, 0.05)]
    outcomes[impression.credit(clicked)] += 1
outcomes

# %%
wins, losses = outcomes["second"], outcomes["first"]
share = wins / (wins + losses)
error = np.sqrt(share * (1 - share) / (wins + losses))
print(f"theirs wins {share:.3f} ± {error:.3f} of the decided impressions")
assert share - 3 * error > 0.5

# %% [markdown]
# More than two rankers share a list, too.

# %%
impression = rd.multileave([ours, theirs, theirs[::-1]], length=5, method="sosm", seed=3)
preferences, scores = impression.credit_all(clicked=["strudel"])
np.array(preferences)

# %% [markdown]
# Before any user sees a mixed list, simulate: runs and judgements as dictionaries, frames or TREC files.

# %%
runs = {
    "ours": {"apple": {"pie": 3.0, "crumble": 2.0, "tart": 1.0}},
    "theirs": {"apple": {"strudel": 3.0, "pie": 2.0, "cake": 1.0}},
}
site = rd.Site.from_runs(runs, {"apple": {"strudel": 2, "cake": 1, "pie": 1}}, synthetic=True, name="desserts")
print(site.truth(effort=0.1))
