# %% [markdown]
# # An algorithm of your own
#
# A policy is a class with two methods. It appears in the same tables as all others.

# %%
import rankduel as rd


class FollowTheLeader(rd.Policy):
    """The arm that won most against a random one."""

    version = "1"

    def __init__(self, arms, rng):
        super().__init__(arms, rng)
        self.won = [1.0] * arms
        self.played = [2.0] * arms

    def recommend(self):
        return max(range(self.arms), key=lambda arm: self.won[arm] / self.played[arm])

    def choose(self, step):
        return self.recommend(), int(self.rng.integers(self.arms))

    def learn(self, step, winner, loser):
        if winner != loser:
            self.won[winner] += 1
            self.played[winner] += 1
            self.played[loser] += 1


# %%
study = rd.bandit("arithmetic:k=10", [FollowTheLeader, "rucb", "random"], steps=5_000, runs=10)
study

# %% [markdown]
# Is it better than the others by more than chance?

# %%
print(study.significance(baseline=study.algorithms[0]))

# %%
ends = {entry["algorithm"].split(":")[0]: entry["regret"]["mean"] for entry in study.summary}
assert ends["rucb"] < ends["random"] and ends["python-FollowTheLeader"] < ends["random"]

# %% [markdown]
# The same class plays live, and with answers that come a hundred steps late:

# %%
site = rd.Site.lookalike("mq2008", scale=0.05, rankers=[1, 5, 10, 20])
site.live([FollowTheLeader, "random"], steps=5_000, runs=3, truth_effort=0.1, delay=100)


# %% [markdown]
# ## Users of your own
#
# A click model is a class too. These users stop after their second click; the state is the number of clicks so far.


# %%
class TwoClicks(rd.ClickModel):
    def users(self):
        return {0: 1.0}

    def click(self, grade, rank, state):
        return [0.05, 0.5, 0.95][grade]

    def leave(self, grade, rank, state, clicked):
        return 1.0 if clicked and state == 1 else 0.0

    def remember(self, grade, rank, state, clicked):
        return state + clicked


clicks = rd.simulate_clicks(TwoClicks, [2, 2, 1, 2, 0], users=20_000)
print(clicks.mean(axis=0).round(2), "at most", clicks.sum(axis=1).max(), "clicks")
assert clicks.sum(axis=1).max() == 2

# %%
theirs = rd.Site.lookalike("mq2008", scale=0.05, rankers=[1, 5, 10, 20], click=TwoClicks)
theirs.live([FollowTheLeader, "random"], steps=5_000, runs=3, truth_effort=0.1)
