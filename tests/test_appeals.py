"""Rulings that were published, from the facts given there: the same articles, kind of score and figures."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
from commands import FIXTURES, call, fine

import screenplug
from screenplug import ledger
from screenplug.laws import Answer

APPEALS: list[dict[str, Any]] = tomllib.loads((FIXTURES / "laws" / "appeals.toml").read_text("utf-8"))["appeal"]
COLUMNS = "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1L;Result\\2R;Score_NS\\6R"


RULINGS = [
    pytest.param(appeal, place, id=f"{appeal['id']}-{ruling['by']}")
    for appeal in APPEALS
    for place, ruling in enumerate(appeal["ruling"])
]


def made(contract: str, tricks: str) -> int:
    """How many tricks ``=``, ``+1`` or ``-2`` are."""
    return 6 + int(contract[0]) + (0 if tricks == "=" else int(tricks))


def row(pair: int, result: str, points: str = "-") -> str:
    """A line of a score table, for a result as ``4S E +1``, or for points without a contract."""
    if not result:
        return f"{pair} {pair + 50} - - - {points}"
    contract, declarer, tricks = result.split()
    return f"{pair} {pair + 50} {contract} {declarer} {made(contract, tricks)} {points}"


def board(appeal: dict[str, Any]) -> bytes:
    """The board as a scoring program exports it: the table is pair 1's, or the Open room's."""
    facts = appeal["board"]
    tags = {"Event": appeal["id"], "Board": facts["number"], "Vulnerable": facts["vulnerable"]}
    if "deal" in facts:
        tags["Deal"] = facts["deal"]
    if facts.get("scoring") == "IMP":
        rooms = [("Open", facts["table"], ""), ("Closed", "", facts["other-table"])]
        tables = [
            {**tags, "Scoring": "IMP", "HomeTeam": "Ash", "VisitTeam": "Birch", "Room": room, **game(result, points)}
            for room, result, points in rooms
        ]
        return "\n".join("".join(f'[{tag} "{word}"]\n' for tag, word in each.items()) for each in tables).encode()
    rows = [row(1, facts.get("table", ""), "?")]
    rows += [row(pair, "", str(points)) for pair, points in enumerate(facts.get("field", []), 2)]
    if "artificial" in facts:
        rows.append(row(99, "", "?"))
    head = "".join(f'[{tag} "{word}"]\n' for tag, word in {**tags, "Scoring": "MP"}.items())
    return (head + f'[ScoreTable "{COLUMNS}"]\n' + "".join(f"{line}\n" for line in rows)).encode()


def game(result: str, points: int | str) -> dict[str, str]:
    """The tags of a result in a room, or of points whose contract is not told."""
    if not result:
        return {"Score": f"NS {points}"}
    contract, declarer, tricks = result.split()
    return {"Declarer": declarer, "Contract": contract, "Result": str(made(contract, tricks))}


def options(appeal: dict[str, Any], ruling: dict[str, Any]) -> list[str]:
    """The ruling as the options of ``rule``."""
    facts, score = appeal["board"], ruling["score"]
    found = ["--board", str(facts["number"]), *(("--room", "Open") if "other-table" in facts else ("--ns", "1"))]
    found += ["--regulations", appeal["laws"], "--stage", "table" if ruling["by"] == "director" else "appeal"]
    for ground in ruling.get("grounds", []):
        if "hypothetical" not in ground:
            words = " ".join(f"{fact}={word}" for fact, word in ground["facts"].items())
            found += ["--ground", f"{ground['decision']}: {words}"]
    if "law" in ruling:
        found += ["--law", ruling["law"], "--finding", ruling["finding"]]
    sides = (
        [("--score-ns", score["ns"]), ("--score-ew", score["ew"])] if isinstance(score, dict) else [("--score", score)]
    )
    return [*found, *(word for side in sides for word in side)]


def ruled(appeal: dict[str, Any], last: int, folder: Path) -> list[dict[str, Any]]:
    """The results of the board, the ruled one first, after the rulings up to ``last`` were entered by ``rule``."""
    file, book = folder / "board.pbn", folder / "book.toml"
    book.write_text("format = 1\n", "utf-8")
    file.write_bytes(board(appeal))
    words = ["rule", str(file), "--rulings", str(book), "--at", "2026-10-17T16:02:00+02:00", "--yes"]
    if "artificial" in appeal["board"]:
        also = ["--law", "12C1", "--finding", "Fixed by the Director.", "--score", appeal["board"]["artificial"]]
        number = str(appeal["board"]["number"])
        fine(call(*words, "--board", number, "--ns", "99", "--regulations", appeal["laws"], *also))
    for place, ruling in enumerate(appeal["ruling"][: last + 1]):
        again = ["--supersede", str(place)] if place else []
        fine(call(*words, *options(appeal, ruling), *again))
        for side, without in ruling.get("without-error", {}).items():
            text = book.read_text("utf-8")
            line = f'score = "{ruling["score"]}"\n'
            assert text.count(line) == 1
            book.write_text(text.replace(line, f'{line}without-error.{side} = "{without}"\n'), "utf-8")
    entered = ledger.read([("book.toml", book.read_bytes())])
    assert not entered.problems
    return list(screenplug.score(file.read_bytes(), entered)["games"][0]["results"])


def cited(ruling: dict[str, Any], laws: str) -> set[str]:
    """The articles that our grounds rest on, as ``16B3``."""
    paths = [decided(ground, laws).path for ground in ruling.get("grounds", [])]
    articles = {article for path in paths for step in path for article in step.cites} | {
        ruling[key] for key in ("law",) if key in ruling
    }
    return {article.removeprefix("Law ").replace("(", "").replace(")", "") for article in articles}


def decided(ground: dict[str, Any], laws: str) -> Answer:
    document = ground.get("hypothetical")
    if document is None:
        return screenplug.decide(ground["decision"], ground["facts"], regulations=laws)
    return screenplug.decide(ground["decision"], ground["facts"], regulations=document, laws=laws, hypothetical=True)


@pytest.mark.parametrize(("appeal", "place"), RULINGS)
def test_a_published_ruling_follows_from_its_facts(appeal: dict[str, Any], place: int) -> None:
    for ground in appeal["ruling"][place].get("grounds", []):
        answer = decided(ground, appeal["laws"])
        assert answer.status == "decided", answer.to_json()
        assert ground["outcome"].items() <= answer.outcome.items()


@pytest.mark.parametrize(("appeal", "place"), RULINGS)
def test_the_articles_that_it_names_are_among_ours(appeal: dict[str, Any], place: int) -> None:
    ruling = appeal["ruling"][place]
    ours = cited(ruling, appeal["laws"])
    # one of the two may be finer than the other: 16B for 16B3, 12C1 for 12C1b
    missing = [
        each for each in ruling["articles"] if not any(each.startswith(one) or one.startswith(each) for one in ours)
    ]
    assert missing == ruling.get("uncited", [])


@pytest.mark.parametrize(("appeal", "place"), RULINGS)
def test_its_score_is_of_the_same_kind_and_has_the_same_figures(
    appeal: dict[str, Any], place: int, tmp_path: Path
) -> None:
    ruling = appeal["ruling"][place]
    result, *others = ruled(appeal, place, tmp_path)
    assert result["kind"] == ruling["kind"]
    expected = ruling.get("figures", {}) | ruling.get("ours", {})
    assert {figure: result[figure] for figure in expected} == expected
    if len(ruling["points"]) == 1:
        assert result["score_ns"] == str(ruling["points"][0])
    if "artificial" in appeal["board"]:
        fixed = appeal["board"]["figures"]
        assert {figure: others[-1][figure] for figure in fixed} == fixed


@pytest.mark.parametrize(("appeal", "place"), RULINGS)
def test_every_outcome_of_it_scores_as_printed(appeal: dict[str, Any], place: int) -> None:
    ruling = appeal["ruling"][place]
    score = ruling["score"]["ns"] if isinstance(ruling["score"], dict) else ruling["score"]
    outcomes = re.findall(r"(\d\w+) ([NESW]) (=|[+-]\d+)", score)
    points = ruling.get("our-points", ruling["points"])
    for (contract, declarer, tricks), figure in zip(outcomes, points, strict=ruling["kind"] != "table"):
        side = "NS" if declarer in "NS" else "EW"
        vulnerable = "vul" if appeal["board"]["vulnerable"] in ("All", side) else "nv"
        done = fine(call("calc", "contract", contract, declarer, vulnerable, str(made(contract, tricks))))
        assert int(done.out) * (1 if side == "NS" else -1) == figure


@pytest.mark.parametrize("appeal", [pytest.param(each, id=each["id"]) for each in APPEALS])
def test_the_result_at_the_table_scores_as_printed(appeal: dict[str, Any], tmp_path: Path) -> None:
    result, *_ = ruled(appeal, -1, tmp_path)
    if "table-points" in appeal["board"]:
        assert result["score_ns"] == str(appeal["board"]["table-points"])
    if "other-table" in appeal["board"]:
        figures = appeal["board"]["figures"]
        assert {figure: result[figure] for figure in figures} == figures


def test_a_figure_that_differs_is_explained_by_the_page_itself(tmp_path: Path) -> None:
    explained = [appeal for appeal in APPEALS if "explained" in appeal]
    assert explained
    for appeal in explained:
        as_they_counted = [*appeal["ruling"][:-1], appeal["ruling"][-1] | {"score": appeal["explained"]["score"]}]
        result, *_ = ruled(appeal | {"ruling": as_they_counted}, len(as_they_counted) - 1, tmp_path)
        figures = appeal["explained"]["figures"]
        assert {figure: result[figure] for figure in figures} == figures


def test_ten_or_more_are_worked_through_and_every_difference_has_its_reason() -> None:
    assert len(APPEALS) >= 10 and {appeal["laws"] for appeal in APPEALS} >= {"laws-1997", "laws-2007", "laws-2017"}
    for appeal in APPEALS:
        marked = any({"uncited", "ours", "our-points"} & ruling.keys() for ruling in appeal["ruling"])
        assert appeal["result"] == "differs" or not marked, appeal["id"]
        assert appeal["why"] and appeal["source"] and appeal["page"].startswith("http")
