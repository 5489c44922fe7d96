# %% [markdown]
# # Judges: which model do people prefer?
#
# LLMFAO (D. Ustalov, CC BY 4.0) has 8,931 votes of people who compared the answers of 59 language models to 13 prompts. `rd.Board` on its
# table says that no order explains all of them, that being shown first helps, and that 13 prompts are too few to speak of prompts in general. The
# votes are not shipped here. What is shipped is the fit of twelve of the models: their strengths, how often people see a tie, and the effect
# of being shown first. **All votes below are synthetic, drawn from that fit.**

# %%
import numpy as np

import rankduel as rd

strengths = {
    "GPT 4": 1.71, "command": 1.12, "LLaMA-2-Chat (70B)": 0.95, "GPT 3.5 Turbo": 0.92, "Falcon Instruct (40B)": 0.79, "Claude v2": 0.68,
    "Guanaco (65B)": 0.32, "Alpaca (7B)": 0.14, "Vicuna v1.3 (13B)": 0.0, "MPT-Chat (30B)": -0.01, "Dolly v2 (12B)": -0.9, "Koala (13B)": -1.37,
}
TIE, SHOWN_FIRST = 1.48, 0.16
rng = np.random.default_rng(1)


def verdict(first: str, second: str) -> str:
    """Davidson's model: wins as e^(d/2) and e^(-d/2), ties as nu."""
    ahead = strengths[first] - strengths[second] + SHOWN_FIRST
    weights = np.array([np.exp(ahead / 2), np.exp(-ahead / 2), TIE])
    return str(rng.choice(["first", "second", "tie"], p=weights / weights.sum()))


# %% [markdown]
# ## A balanced design
#
# Every pair equally often, both orders, 1,320 votes.

# %%
uniform = rd.Live(list(strengths), goal="uniform", seed=1)
for pair in uniform.ask(1_320):
    uniform.tell(pair.ticket, verdict(pair.first, pair.second))
balanced = uniform.board()
print(balanced.sentence)
balanced

# %% [markdown]
# Neighbours in the table are not separated: their ranks overlap. Anything that would mislead comes first, with its numbers.

# %%
ranks = balanced.table
assert ranks["name"][0] == "GPT 4"
for name, low, high in zip(ranks["name"], ranks["rank_best_one_look"], ranks["rank_worst_one_look"]):
    print(f"{name:22} {low:.0f}–{high:.0f}")

# %% [markdown]
# ## Pairs chosen by the session
#
# A session asks where an answer teaches most about the best. It spends its votes on the models that may still be the best.

# %%
chosen = rd.Live(list(strengths), goal="best", seed=1)
for _ in range(1_320):
    pair = chosen.ask()
    chosen.tell(pair.ticket, verdict(pair.first, pair.second))
steered = chosen.board()
print(steered.sentence)
votes = {row: [0, 0] for row in strengths}
for place, session in enumerate((uniform, chosen)):
    table = session.judgements()
    for name in [*table["first"], *table["second"]]:
        votes[str(name)][place] += 1
for name, (even, by_session) in votes.items():
    print(f"{name:22} {even:5} {by_session:5}")
assert chosen.recommend() == "GPT 4"
assert votes["GPT 4"][1] > 2 * votes["GPT 4"][0] and votes["Koala (13B)"][1] < votes["Koala (13B)"][0]

# %% [markdown]
# ## The fit as a world to try policies in
#
# How many judgements would other policies waste? The fit is a preference matrix.

# %%
study = rd.bandit(balanced.matrix(), ["self-sparring", "dts", "rucb", "random"], steps=5_000, runs=20)
print(study)
