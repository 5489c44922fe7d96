"""Logs with broken pages, in every form of a log: the same sentence before the verdict, and no trust in it."""

from __future__ import annotations

import datetime
import html
import json
import os
import random
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from test_forms import FORMS, Found, Rows, by_lines

import rankduel as rd

FIRST = datetime.datetime(2026, 3, 1, 10, tzinfo=datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
EVERY = {"final": True, "logged": "every"}


def healthy(users: int = 300, seed: int = 1, clicked: float = 1.0) -> tuple[Rows, Rows]:
    """Rankers that are equally good and share no document, mixed by team draft; users click by place alone, one of them a page."""
    chance = random.Random(seed)
    impressions: Rows = []
    clicks: Rows = []
    for user in range(users):
        teams = [team for _ in range(2) for team in chance.sample(["new", "old"], 2)]
        shown = [f"{'n' if team == 'new' else 'o'}/{user % 50}-{place}" for place, team in enumerate(teams)]
        time = FIRST + user % 20 * DAY + datetime.timedelta(seconds=user)
        row = {"impression": f"i{user}", "time": time.isoformat(), "user": f"u{user}", "rankers": ["new", "old"], "shown": shown, "teams": teams}
        impressions.append(row)
        (document,) = chance.choices(shown, [4, 3, 2, 1])
        if chance.random() < clicked:
            clicks.append({"impression": f"i{user}", "time": (time + datetime.timedelta(seconds=20)).isoformat(), "document": document})
    return impressions, clicks


def written(write: Callable[[str], str], share: float = 1.0) -> Callable[[], tuple[Rows, Rows]]:
    """The new ranker writes ids in another way than the page, or a share of them."""

    def log() -> tuple[Rows, Rows]:
        impressions, clicks = healthy()
        chance = random.Random(2)
        for row in impressions:
            row["shown"] = [write(document) if document[0] == "n" and chance.random() < share else document for document in row["shown"]]
        return impressions, clicks

    return log


def cut() -> tuple[Rows, Rows]:
    """An export of impressions that ends after a third."""
    impressions, clicks = healthy()
    return impressions[:100], clicks


def alone() -> tuple[Rows, Rows]:
    """The new ranker has no list for three of five pages."""
    impressions, clicks = healthy()
    by_impression = {row["impression"]: row for row in clicks}
    for place, row in enumerate(impressions):
        if place % 5 < 3:
            row["shown"], row["teams"] = [f"o/{place % 50}-{at}" for at in range(4)], ["old"] * 4
            by_impression[row["impression"]]["document"] = row["shown"][place % 3]
    return impressions, clicks


def one_coin(clicked: float) -> Callable[[], tuple[Rows, Rows]]:
    """The new ranker always begins."""

    def log() -> tuple[Rows, Rows]:
        impressions, clicks = healthy(clicked=clicked)
        for row in impressions:
            # A round with the old ranker first is turned.
            order = [at for first in (0, 2) for at in sorted((first, first + 1), key=lambda at: row["teams"][at])]
            row["shown"], row["teams"] = ([row[name][at] for at in order] for name in ("shown", "teams"))
        return impressions, clicks

    return log


def three_of_four() -> tuple[Rows, Rows]:
    """The old ranker owns three of four places; who begins is left to a coin."""
    impressions, clicks = healthy(clicked=0.5)
    for row in impressions:
        row["teams"] = ["new", "old", "old", "old"] if row["teams"][0] == "new" else ["old", "old", "new", "old"]
    return impressions, clicks


def wrong_clock() -> tuple[Rows, Rows]:
    """One of many devices is in 2030."""
    impressions, clicks = healthy(3_000)
    impressions[1_500]["time"] = "2030-06-01T10:00:00+00:00"
    return impressions, clicks


class Broken(NamedTuple):
    """A log, its rules, and what must be said of it: the kinds of its faults, whether it is trusted, a part of the sentence."""

    log: Callable[[], tuple[Rows, Rows]]
    rules: dict[str, Any]
    kinds: list[str]
    trusted: bool
    said: str


BROKEN = {
    "healthy": Broken(healthy, EVERY, [], True, ""),
    "capitals": Broken(written(str.upper), EVERY, ["near-ids"], False, "nearly all on those of new, which loses them"),
    "%2F": Broken(written(lambda document: document.replace("/", "%2F")), EVERY, ["near-ids"], False, "nearly all on those of new"),
    "?ref=1 on 30%": Broken(written(lambda document: f"{document}?ref=1", 0.3), EVERY, ["not-shown"], True, "suffixes such as `?ref=1`"),
    "impressions cut off": Broken(cut, EVERY, ["unknown-impressions"], False, "200 of 300 clicks (66.7%) are on impressions that are not in"),
    "clicks of other pages": Broken(cut, {**EVERY, "other_pages": True}, [], True, ""),
    "one ranker alone": Broken(alone, EVERY, ["lists-of-one"], True, "180 of 300 pages (60.0%) have documents of old alone"),
    "one side": Broken(one_coin(0.5), {"final": True}, ["lead"], False, "new comes first in 300 of 300 lists that new and old share"),
    "one side, clicked": Broken(one_coin(1.0), {"final": True}, ["form-unsaid"], True, "Every page of the log has a click. If only such pages"),
    "one side, every": Broken(one_coin(1.0), EVERY, ["lead"], False, "new comes first in 300 of 300 lists"),
    "one side of clicked pages": Broken(one_coin(1.0), {"final": True, "logged": "clicked"}, [], True, ""),
    "a coin by impression": Broken(one_coin(0.5), {**EVERY, "unit": "impression", "coin": "impression"}, ["lead"], False, "new comes first"),
    "a coin by user": Broken(one_coin(0.5), {**EVERY, "unit": "impression"}, [], True, ""),
    # The sum is below 0.
    "three of four places": Broken(three_of_four, {"final": True}, ["places"], False, "old owns 296 places more than new in 300 lists"),
    "2030": Broken(wrong_clock, {"logged": "every"}, ["far-times"], False, "1 impression came long after the others, until 2030-06-01: the log"),
}  # fmt: skip


@pytest.fixture(scope="module")
def by_files(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Found]:
    """The report on a log from files, which all other forms must equal."""
    known: dict[str, Found] = {}

    def found(name: str) -> Found:
        if name not in known:
            broken = BROKEN[name]
            known[name] = by_lines(tmp_path_factory.mktemp("files"), *broken.log(), **broken.rules)
        return known[name]

    return found


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", BROKEN)
def test_one_sentence_in_every_form(name: str, form: str, by_files: Callable[[str], Found], tmp_path: Path) -> None:
    broken, expected = BROKEN[name], by_files(name)
    found = FORMS[form](tmp_path, *broken.log(), **broken.rules)
    assert found == expected
    assert [fault["kind"] for fault in found.faults] == broken.kinds
    assert [fault["trusted"] for fault in found.faults] == [broken.trusted] * len(broken.kinds)
    text, data = found.decide()
    assert data["trusted"] is broken.trusted and data["faults"] == found.faults
    assert text == expected.decide()[0]
    assert text.startswith("".join(fault["sentence"] + "\n\n" for fault in found.faults))
    assert all(broken.said in fault["sentence"] for fault in found.faults)


def test_what_the_package_prints_begins_with_the_faults(tmp_path: Path) -> None:
    impressions, clicks = written(str.upper)()
    with pytest.warns(rd.RankduelWarning, match="^[0-9]+ of 300 pages with clicks .* nearly all on those of new") as warned:
        credited = rd.credit_frame(impressions, clicks, **EVERY)
    (fault,) = credited.faults
    assert [str(one.message) for one in warned] == [fault.sentence] == [str(fault)]
    assert fault == rd.Fault("near-ids", None, fault.sentence, False)
    assert str(credited) == f"{fault.sentence}\n\n{credited!r}" and repr(credited).endswith("rankers new, old; not trusted)")
    decision = credited.decide()
    verdict = str(decision).split("\n\n")[1].splitlines()[0]
    assert "beats" in verdict, "the fault would be no harm"
    assert (decision.headline, decision.winner, decision.action) == (fault.sentence, None, "repair")
    begin = f'<div role="alert"><p>{html.escape(fault.sentence)}</p><p>Without this it would say: '
    assert decision._repr_html_().startswith(begin) and credited._repr_html_().startswith(f'<div role="alert"><p>{html.escape(fault.sentence)}')
    healthy_one = rd.credit_frame(*healthy(), **EVERY)
    assert healthy_one.decide().action == "wait" and healthy_one.decide().headline.startswith("Undecided: ")
    assert healthy_one.trusted and healthy_one.decide().trusted and 'role="alert"' not in healthy_one.decide()._repr_html_()
    assert "trusted" not in f"{healthy_one}{healthy_one!r}{healthy_one.decide()}"
    # The saved files carry this to the command line.
    for one, code in ((credited, 4), (healthy_one, 3)):
        one.save(tmp_path / str(code))
        words = [sys.executable, "-m", "rankduel.click_logs", "decide", str(tmp_path / str(code)), "--exit-code"]
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=60)
        assert (done.returncode, done.stdout) == (code, str(one.decide()))
        assert (tmp_path / str(code) / "pages.csv").read_bytes() == one.pages.to_csv()


def test_a_verdict_that_a_summary_says_nothing_of_is_not_known_to_be_right() -> None:
    credited = rd.credit_frame(*healthy(), **EVERY)
    del credited.summary["integrity"]
    assert credited.decide().trusted is None and credited.decide().data["faults"] is None


def test_a_fault_of_one_version_names_it() -> None:
    (sound, clicks), (broken, more) = healthy(), one_coin(0.5)()
    for rows, version in ((sound, "1"), (broken, "2")):
        for row in rows:
            row["version"] = version
    for row in (*broken, *more):
        row["impression"] += "-2"
    credited = rd.credit_frame([*sound, *broken], [*clicks, *more], **EVERY)
    (fault,) = credited.faults
    assert (fault.kind, fault.version, fault.trusted) == ("lead", "2", False)
    assert str(fault).startswith("2: new comes first in 300 of 300 lists")
    assert credited.summary["warnings"] == [str(fault)] and str(fault) in str(credited.decide())
    assert credited.pages.columns[:4] == ["version", "day", "first", "second"]


CASES = Path(os.environ.get("RANKDUEL_TEST_DATA", Path(__file__).parents[3] / "shared/data")).parent / "cases"


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("case", "rules", "kind", "trusted"),
    [
        ("17-one-sides-clicks-lost", {"final": True}, "near-ids", False),
        ("18-loaded-coin", {"final": True}, "form-unsaid", True),
        ("18-loaded-coin", EVERY, "lead", False),
    ],
)
def test_logs_that_were_believed(case: str, rules: dict[str, Any], kind: str, trusted: bool, form: str, tmp_path: Path) -> None:
    if not (CASES / case).is_dir():
        pytest.skip(f"no {case} beside the data of tests")
    tables = [[json.loads(line) for line in (CASES / case / f"{name}.jsonl").read_text().splitlines()] for name in ("impressions", "clicks")]
    for folder in ("files", "form"):
        (tmp_path / folder).mkdir()
    found = FORMS[form](tmp_path / "form", *tables, **rules)
    assert found == by_lines(tmp_path / "files", *tables, **rules)
    assert [(fault["kind"], fault["trusted"]) for fault in found.faults] == [(kind, trusted)]
    text, data = found.decide()
    assert text.startswith(found.faults[0]["sentence"]) and data["trusted"] is trusted
