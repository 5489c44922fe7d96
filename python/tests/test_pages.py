"""Pages of a mixed list: several of them, what they leave out and add, and what is kept of them."""

from __future__ import annotations

import json
import pickle

import pytest

import rankduel as rd

OURS = [f"d{n}" for n in range(40)]
THEIRS = [f"d{(7 * n) % 40}" for n in range(40)]
STABLE_TWO = ["balanced", "team-draft", "probabilistic", "probabilistic:expected", "document-constraints"]


@pytest.mark.parametrize("method", STABLE_TWO)
def test_three_pages_are_one_list(method: str) -> None:
    for seed in range(20):
        first = rd.interleave(OURS, THEIRS, length=10, depth=30, method=method, seed=seed)
        alone = rd.interleave(OURS, THEIRS, length=10, method=method, seed=seed)
        assert first.shown == alone.shown and len(first.mixed) == 30
        second = first.next_page(10)
        assert second.shown[:10] == first.shown and second.on_page == second.shown[10:] and len(second) == 20
        both = rd.interleave(OURS, THEIRS, length=20, method=method, seed=seed)
        for clicked in ([second.shown[3]], [second.shown[2], second.shown[14]], second.shown[5:12]):
            assert second.credit(clicked) == both.credit(clicked)
            back = rd.Impression.from_bytes(second.to_bytes())
            assert back.credit(clicked) == both.credit(clicked) and back.shown == second.shown
        assert second.truncated(10).shown == first.shown
        last = second.next_page(10).next_page(10)
        assert len(last) == 30 and last.on_page == []


def test_one_page_methods_refuse_before_the_first() -> None:
    with pytest.raises(ValueError, match="optimized serves one page"):
        rd.interleave(OURS, THEIRS, length=5, depth=10, method="optimized", seed=1)
    with pytest.raises(ValueError, match="optimized serves one page"):
        rd.multileave([OURS, THEIRS], length=5, depth=10, method="optimized", seed=1)
    with pytest.raises(ValueError, match="3 documents are mixed for pages of 10"):
        rd.interleave(OURS, THEIRS, depth=3, seed=1)


def test_pinned_and_left_out() -> None:
    impression = rd.interleave(OURS, THEIRS, length=6, seed=3)
    a, b, c, *rest = impression.shown
    page = impression.displayed(["ad", a, c, *rest], pinned=["ad"])
    assert page.shown == ["ad", a, c, *rest] and page.credit(["ad"]) == "tie"
    assert page.credit([c]) == impression.credit([c]) == page.credit(positions=[2])
    with pytest.raises(ValueError, match="was not shown"):
        page.credit([b])
    for again in (
        rd.Impression.from_bytes(page.to_bytes()),
        rd.Impression.from_json(page.to_json()),
        pickle.loads(pickle.dumps(page)),
    ):
        assert again == page and again.shown == page.shown
    # A mixed document that a curator moved to the top has no ranker.
    assert impression.displayed([c, a, b, *rest], pinned=[c]).credit([c]) == "tie"
    for documents, pinned, message in [
        ([b, a], [], "keep their order"),
        (["ad", a], [], "was not mixed"),
        ([a], ["ad"], "not among the documents displayed"),
        ([a, a], [], "twice"),
        (["ad", a, "ad"], ["ad"], "twice"),
    ]:
        with pytest.raises(ValueError, match=message):
            impression.displayed(documents, pinned=pinned)


def test_teams() -> None:
    impression = rd.interleave(OURS, THEIRS, length=6, seed=3)
    teams = impression.teams
    assert teams is not None and sorted(map(str, teams)) == ["0"] * 3 + ["1"] * 3
    for place, team in enumerate(teams):
        assert impression.credit(positions=[place]) == ("first", "second")[team or 0]
    assert impression.displayed(["ad", *impression.shown], pinned=["ad"]).teams == [None, *teams]
    assert rd.interleave(OURS, THEIRS, method="balanced", seed=3).teams is None
    many = rd.multileave([OURS, THEIRS, OURS[::-1]], length=6, method="team-draft", seed=3)
    assert sorted(many.teams or []) == [0, 0, 1, 1, 2, 2]


def test_whole_numbers_are_ids() -> None:
    import numpy as np

    impression = rd.interleave([3, 1, 2], np.array([2, 4, 1]), length=4, seed=5)
    assert sorted(impression.shown) == [1, 2, 3, 4] and all(type(document) is int for document in impression.shown)
    assert impression.credit([3]) == "first" and impression.credit([np.int64(4)]) == "second"
    texts = rd.interleave(["3", "1", "2"], ["2", "4", "1"], length=4, seed=5)
    assert [str(document) for document in impression.shown] == texts.shown
    assert rd.Impression.from_bytes(impression.to_bytes(), whole=True) == impression
    assert rd.Impression.from_json(impression.to_json(), whole=True).shown == impression.shown
    assert pickle.loads(pickle.dumps(impression)) == impression
    assert rd.Impression.from_bytes(impression.to_bytes()).shown == texts.shown
    with pytest.raises(ValueError, match="not a whole number"):
        rd.Impression.from_bytes(rd.interleave(["a"], ["b"], seed=1).to_bytes(), whole=True)
    with pytest.raises(TypeError, match="whole numbers, as the first"):
        rd.interleave([1, "a"], [2], seed=1)  # type: ignore[list-item]
    with pytest.raises(TypeError, match="found True"):
        rd.interleave([True], [2], seed=1)
    with pytest.raises(TypeError, match="expected documents as whole numbers"):
        impression.credit(["3"])


def test_seeds_are_texts_too() -> None:
    impression = rd.interleave(OURS, THEIRS, seed="impression-17")
    assert impression == rd.interleave(OURS, THEIRS, seed="impression-17")
    assert len({tuple(rd.interleave(OURS, THEIRS, seed=f"impression-{n}").shown) for n in range(20)}) > 10


def test_documents_number_ties() -> None:
    tied = {document: 1.0 for document in "abcdef"}
    turned = dict(reversed(tied.items()))
    same = [rd.interleave(scores, scores, seed=4, documents="abcdef").shown for scores in (tied, turned)]
    assert same[0] == same[1]
    own = [rd.interleave(scores, scores, seed=4).shown for scores in (tied, turned)]
    assert own[0] != own[1]
    with pytest.raises(ValueError, match="'a' is there twice"):
        rd.interleave(tied, tied, seed=4, documents=["a", "a"])


def test_lists_grow() -> None:
    first = rd.interleave(OURS[:10], THEIRS[:10], length=5, seed=8)
    second = rd.interleave(OURS[:10], THEIRS[:10], length=5, seed=8, grown=[(OURS[:20], THEIRS[:20])])
    assert second.shown[:5] == first.shown and len(second) == 10
    named = list(dict.fromkeys([*OURS[:10], *THEIRS[:10]]))
    assert second.shown == rd.interleave(OURS[:20], THEIRS[:20], length=10, seed=8, documents=named).shown
    many = [OURS[:10], THEIRS[:10], OURS[:10][::-1]]
    longer = [[*ranking, *(f"e{n}" for n in range(9))] for ranking in many]
    page = rd.multileave(many, length=4, seed=8)
    assert rd.multileave(many, length=4, seed=8, grown=[longer]).shown[:4] == page.shown
    for call, message in [
        (lambda: rd.interleave(OURS[:10], THEIRS[:10], seed=1, grown=[(OURS[1:], THEIRS)]), "list 0 of page 0"),
        (lambda: rd.interleave(OURS[:10], THEIRS[:10], seed=1, grown=[(OURS, THEIRS)], depth=20), "give one of them"),
        (lambda: rd.interleave(OURS, THEIRS, seed=1, grown=[(OURS,)]), "expected 2 lists for page 1"),
        (lambda: rd.interleave(OURS, THEIRS, seed=1, grown=[(OURS, THEIRS)], method="probabilistic"), "cannot go on"),
    ]:
        with pytest.raises(ValueError, match=message):
            call()


def test_versions_and_propensities_are_kept() -> None:
    version = rd.experiment_version("search", {"bm25": "1.2", "neural": "7"}, method="team-draft")
    impression = rd.interleave(OURS, THEIRS, seed=1, version=version, propensity=0.25)
    for again in (rd.Impression.from_bytes(impression.to_bytes()), rd.Impression.from_json(impression.to_json())):
        assert (again.version, again.propensity) == (version, 0.25)
    changed = rd.experiment_version("search", {"bm25": "1.2", "neural": "8"}, method="team-draft")
    assert changed != version and changed.startswith("search@")
    for settings in ({"version": "search"}, {"propensity": 0.0}, {"propensity": float("nan")}):
        with pytest.raises(ValueError):
            rd.interleave(OURS, THEIRS, seed=1, **settings)
    with pytest.raises(ValueError, match="did you mean `team-draft`"):
        rd.experiment_version("search", {"a": "1"}, method="teamdraft")


def test_damage_is_noticed() -> None:
    impression = rd.multileave([OURS, THEIRS], length=6, seed=2)
    data = bytearray(impression.to_bytes())
    for bit in range(8 * len(data)):
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(ValueError):
            rd.Impression.from_bytes(bytes(data))
        data[bit // 8] ^= 1 << bit % 8
    kept = json.loads(impression.to_json())
    kept["documents"][0], kept["documents"][1] = kept["documents"][1], kept["documents"][0]
    with pytest.raises(ValueError, match="checksum"):
        rd.Impression.from_json(json.dumps(kept))
