"""Lists for real users."""

from __future__ import annotations

import pickle
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankduel as rd

TWO = ["balanced", "team-draft", "team-draft:pairs", "probabilistic", "probabilistic:expected", "document-constraints", "optimized"]
MANY = ["sosm", "team-draft", "probabilistic", "optimized", "pairwise-preference"]
documents = st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1, max_size=6)


@given(documents, documents, st.integers(0, 8), st.sampled_from(TWO), st.integers(0, 2**64 - 1), st.data())
def test_interleaving(first: list[str], second: list[str], length: int, method: str, seed: int, data: st.DataObject) -> None:
    impression = rd.interleave(first, second, length=length, method=method, seed=seed)
    union = set(first) | set(second)
    assert len(impression) == len(impression.shown) == min(length, len(union))
    assert set(impression.shown) <= union and len(set(impression.shown)) == len(impression)
    assert impression.method.split(":")[0] == method.split(":")[0]
    clicked = data.draw(st.lists(st.sampled_from(impression.shown), unique=True) if impression.shown else st.just([]))
    won = impression.credit(clicked)
    assert won in ("first", "second", "tie") and (clicked or won == "tie")
    for again in (
        rd.Impression.from_bytes(impression.to_bytes()),
        rd.Impression.from_json(impression.to_json()),
        pickle.loads(pickle.dumps(impression)),
        rd.interleave(first, second, length=length, method=method, seed=seed),
    ):
        assert again == impression and again.credit(clicked) == won


@given(st.lists(documents, min_size=1, max_size=4), st.sampled_from(MANY), st.integers(0, 99), st.data())
def test_multileaving(rankings: list[list[str]], method: str, seed: int, data: st.DataObject) -> None:
    impression = rd.multileave(rankings, length=5, method=method, seed=seed)
    clicked = data.draw(st.lists(st.sampled_from(impression.shown), unique=True))
    preferences, scores = rd.Impression.from_bytes(impression.to_bytes()).credit_all(clicked)
    for i in range(len(rankings)):
        for j in range(len(rankings)):
            assert preferences[i][j] == -preferences[j][i]
            if scores is not None:
                assert preferences[i][j] == (scores[i] > scores[j]) - (scores[i] < scores[j])


def test_scores_keep_their_ties() -> None:
    tied = {"a": 1.0, "b": 1.0, "c": 0.0}
    tops = {rd.interleave(tied, tied, length=1, seed=seed).shown[0] for seed in range(50)}
    assert tops == {"a", "b"}
    assert {rd.interleave(["a", "b"], ["a", "b"], length=1, seed=seed).shown[0] for seed in range(50)} == {"a"}


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: rd.interleave(["a", "a"], ["b"], seed=1), ValueError, "same document at 0 and 1"),
        (lambda: rd.interleave({"a": float("nan")}, ["b"], seed=1), ValueError, "is not a number"),
        (lambda: rd.interleave(["a"], ["b"], method="ballanced", seed=1), ValueError, "did you mean `balanced`?"),
        (lambda: rd.interleave(["a"], ["b"], seed=1).credit(["z"]), ValueError, "was not shown"),
        (lambda: rd.interleave(["a"], [1], seed=1), TypeError, "expected documents as text, found 1"),  # type: ignore[list-item]
        (lambda: rd.interleave("ab", ["b"], seed=1), TypeError, "expected a list of documents, found the text 'ab'"),
        (lambda: rd.interleave(["a"], ["b"], seed=1).credit("a"), TypeError, "found the text 'a'; write ['a']"),
        (lambda: rd.interleave(["\ud800"], ["b"], seed=1), UnicodeEncodeError, "surrogates not allowed"),
        (lambda: rd.Impression.from_bytes(b"\x09"), ValueError, "not a receipt: its first byte is 0x09"),
        (lambda: rd.Impression.from_bytes(b""), ValueError, "not a receipt: no bytes"),
        (lambda: rd.Impression.from_json("{}"), ValueError, "not an impression"),
        (lambda: rd.multileave([["a"], ["b"]], seed=1).credit(["a"]), ValueError, "credit_all"),
    ],
)
def test_refusals(call: object, error: type[Exception], message: str) -> None:
    with pytest.raises(error) as raised:
        call()  # type: ignore[operator]
    assert message in str(raised.value)


def test_documents_of_any_kind_of_text_and_list() -> None:
    import numpy as np

    expected = rd.interleave(["a", "b"], ["c", "b"], seed=5)
    for first in (("a", "b"), np.array(["a", "b"]), iter(["a", "b"]), {"a": 2.0, "b": 1.0}):
        found = rd.interleave(first, ("c", "".join(["", "b"])), seed=5)  # type: ignore[arg-type]
        assert found == expected and [type(document) for document in found.shown] == [str, str, str]
    won = expected.credit([expected.shown[0]])
    assert expected.credit({expected.shown[0]}) == expected.credit(np.array(expected.shown[:1])) == won
    assert expected != rd.interleave(["a", "b"], ["c", "b"], seed=6, method="balanced") and expected != 3
    assert repr(expected) == f'Impression(method="team-draft", shown={expected.shown})'


def competitive_pairs(lists: list[list[str]], first: int) -> tuple[list[str], list[str]]:
    """The rule in a few lines: the list if the ranker `first` adds first, and the owner of each document."""
    shown: list[str] = []
    owners: list[str] = []
    while len(shown) < len(lists[0]):
        one, other = (next(document for document in lists[ranker] if document not in shown) for ranker in (first, 1 - first))
        if one == other:
            shown.append(one)
            owners.append("tie")
        else:
            shown += [one, other]
            owners += [("first", "second")[first], ("first", "second")[1 - first]]
    return shown[: len(lists[0])], owners[: len(lists[0])]


def test_competitive_pairs_are_those_of_a_plain_program() -> None:
    chance = random.Random(7)
    coins = [0, 0]
    for seed in range(10_000):
        length = chance.randint(1, 8)
        lists = [chance.sample("abcdefghij", length) for _ in range(2)]
        impression = rd.interleave(*lists, length=length, method="team-draft:pairs", seed=seed)
        found = (impression.shown, [impression.credit([document]) for document in impression.shown])
        both = [competitive_pairs(lists, first) for first in range(2)]
        assert found in both
        if both[0] != both[1]:
            coins[both.index(found)] += 1
    # Five standard errors of a fair coin.
    assert abs(coins[0] - coins[1]) < 5 * sum(coins) ** 0.5


def test_lists_of_a_thousand() -> None:
    first = [f"d{n}" for n in range(1000)]
    second = [f"d{(7 * n) % 1500}" for n in range(1000)]
    shown = rd.interleave(first, second, length=2000, seed=1).shown
    assert sorted(shown) == sorted({*first, *second})
    with pytest.raises(ValueError, match="more than 65,535"):
        rd.interleave([str(n) for n in range(40_000)], [str(-n - 1) for n in range(40_000)], seed=1)


@given(st.binary(max_size=60))
def test_no_bytes_are_a_panic(data: bytes) -> None:
    try:
        rd.Impression.from_bytes(data).credit_all([])
    except ValueError:
        pass
