"""The pages of the rulings: complete, quiet, readable, and never more than the detail allows."""

from __future__ import annotations

import builtins
import re
import shutil
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
from commands import FIXTURES, call

from screenplug import board, pbn
from screenplug_hooks import picture, reports

HOSTILE = '</article><script>alert("x")</script> {{ 7 * 7 }} {% raw %} "quoted" \'single\' & % \\ [Event "x"]'
LETTERS = "Zażółć gęślą jaźń; Čačak šđ; Судья; \u202e\u05dc\u05d0\u05d5\u05de\u05d9"


@pytest.fixture
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for path in (FIXTURES / "pairs-wbf").iterdir():
        shutil.copy(path, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def page(*words: str, name: str = "session.rulings.html") -> str:
    done = call("report", "session.pbn", "--rulings", ".", *words)
    assert done.code in (0, 1) and f"written: {name}" in done.out, done.err
    return Path(name).read_text(encoding="utf-8")


class Tags(HTMLParser):
    """All start tags with their attributes, and whether every element that is opened is closed in order."""

    VOID = frozenset({"meta", "br", "img", "hr", "input", "link"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def own(ruling: str, ground: str) -> None:
    """A rulings file with one entry on board 8, instead of the fixture's."""
    Path("rulings-a.toml").unlink()
    Path("rulings-b.toml").write_text(
        'format = 1\n[default]\nregulations = "wbf"\n[[ruling]]\nid = "1"\nboard = "8"\nns = "4"\new = "14"\n'
        f"{ruling}\n[[ruling.ground]]\n{ground}\n",
        encoding="utf-8",
    )


# ------------------------------------------------------------------------------------------------------------ the page


@pytest.mark.parametrize("detail", ["public", "record", "full"])
def test_no_address_leaves_the_page(desk: Path, detail: str) -> None:
    text = page("--detail", detail)
    assert not re.search(r"https?:|//[a-z]|url\(|@import|<link|<script|<iframe|\bsrc=|\bhref=|\bon[a-z]+=", text)


def test_every_element_is_closed_and_every_picture_has_a_text(desk: Path) -> None:
    tags = Tags(page())
    assert not tags.open
    pictures = [attributes for tag, attributes in tags.found if tag in ("svg", "img")]
    assert pictures and all(attributes.get("aria-label") and attributes["role"] == "img" for attributes in pictures)
    signs = [attributes for tag, attributes in tags.found if tag == "span" and attributes.get("role") == "img"]
    assert {attributes["aria-label"] for attributes in signs} == {"spades", "hearts", "diamonds", "clubs"}
    assert dict(tags.found[0][1]) == {"lang": "en"} and ("main", {}) in tags.found


def test_every_ruling_has_a_heading_and_a_sheet_of_its_own(desk: Path) -> None:
    text = page()
    articles = re.findall(r'<article class="ruling( first)?"', text)
    assert len(articles) == 21 and articles[0] and not any(articles[1:])
    assert re.search(r"@media print \{.*?\.ruling \{ break-before: page", text, re.DOTALL)
    headings = [int(level) for level in re.findall(r"<h([1-6])", text)]
    assert all(after <= before + 1 for before, after in pairwise(headings))


def test_the_page_has_a_light_and_a_dark_face(desk: Path) -> None:
    text = page()
    assert "prefers-color-scheme: dark" in text and "color-scheme: light dark" in text


def test_a_ruling_shows_deal_auction_facts_statements_poll_articles_and_both_scores(desk: Path) -> None:
    text = page("A-2", name="session.rulings-A-2.html")
    for said in (
        "KT7643", "Dealer West", "perhaps twenty", "half a minute at least", "5 asked: 3 pass, 2 bid 3S", "disputed",
        "[Law 16B3; Law 12C1]", "WBF screens 10", "superseded by B-1", "60% 3H W =, 40% 3H W -1", "35 seconds",
    ):  # fmt: skip
        assert said in text, said
    assert "Ask both sides" not in text, "the private note is for the appeal form"
    decided = page("B-1", name="session.rulings-B-1.html")
    assert "MP NS 12 EW 4" in decided and "The rest of the field" in decided


def test_every_entry_of_the_history_has_its_time_and_what_it_gives(desk: Path) -> None:
    text = page("A-2", name="session.rulings-A-2.html")
    history = text[text.index("<h3>History</h3>") :]
    for told in ('<time datetime="2026-10-17T15:31:00+02:00">2026-10-17 15:31</time>', "2026-10-17 21:10",
                 "MP NS 2 EW 14", "MP NS 3.6 EW 12.4"):  # fmt: skip
        assert told in history, told
    assert "As it is now" in text and "By this score" in text, "A-2 does not count any more"


def test_a_pending_score_is_shown_beside_what_counts_until_then(desk: Path) -> None:
    own('table = "3S N +1"\nscore = "3H W ="\nstate = "pending"', 'laws = ["16B"]\nfinding = "Poll under way"')
    text = page("1", name="session.rulings-1.html")
    assert "<td>MP NS 12 EW 4</td><td>MP NS 2 EW 14</td>" in text and "By this score" in text


def test_the_page_speaks_in_words_not_in_the_ledgers(desk: Path) -> None:
    text = page()
    for told in ("The result at the table stands", "Still to be played", "nobody vulnerable", "East-West vulnerable",
"<strong>North</strong>: <bdi", "Ruling <bdi>A-1</bdi>, board <bdi>9</bdi>", "South moved the tray to",
                 "<bdi>Penalty A-12, contestant 5"):  # fmt: skip
        assert told in text, told
    assert "== Penalty" not in text and "<strong>table</strong>" not in text and "vulnerable None" not in text


def test_two_hundred_rulings_are_a_page_in_under_five_seconds(desk: Path) -> None:
    rows = pbn.results(pbn.read(Path("session.pbn").read_bytes()))[:200]
    Path("rulings-a.toml").unlink()
    Path("rulings-b.toml").write_text(
        'format = 1\n[default]\nregulations = "wbf"\n'
        + "".join(
            f'[[ruling]]\nid = "{number}"\nboard = "{row.board}"\nns = "{row.keys["ns"]}"\new = "{row.keys["ew"]}"\n'
            'score = "60% 3H W =, 40% 3H W -1"\n[[ruling.ground]]\ndecision = "tempo"\n'
            'facts = { slow-side = "NE", seconds = 35, pace = "slow", attention-by = "W" }\n'
            for number, row in enumerate(rows, 1)
        ),
        encoding="utf-8",
    )
    started = monotonic()
    text = page()
    assert text.count("<article") == 200 and monotonic() - started < 5


def test_the_call_that_was_irregular_is_marked(desk: Path) -> None:
    game = Path("session.pbn").read_bytes().replace(b"1H 1S 2H 2S", b"1H 1S =1= 1D 2S", 1)
    Path("session.pbn").write_bytes(game)
    assert "<mark>1♦ (insufficient)</mark>" in page("A-2", name="session.rulings-A-2.html")


# ---------------------------------------------------------------------------------------------------- what is private


def test_a_bulletin_has_no_facts_no_seats_and_no_statements(desk: Path) -> None:
    text = page("--detail", "public")
    for secret in ("perhaps twenty", "half a minute", "5 asked", 'class="disputed', "Director A", "What happened",
                   "<svg", "Ask both sides", "Not for publication", "session.pbn"):  # fmt: skip
        assert secret not in text, secret
    assert "The standings, and what moved" in text and "[Law 16B3; Law 12C1]" in text


def test_a_bulletin_has_the_whole_standings_and_a_desk_what_moved(desk: Path) -> None:
    text = page("--detail", "public")
    assert "<bdi>pair 3 NS</bdi>" in text and "<td>+3.19 %</td><td>3 → 2</td>" in text
    own('table = "3S N +1"\nscore = "table"', 'laws = ["16B"]\nfinding = "No damage"')
    standings = re.compile(r"<bdi>pair \d+ (?:NS|EW)</bdi>")
    assert len(standings.findall(page("--detail", "public"))) == 18
    assert not standings.findall(page())


def test_the_record_keeps_facts_and_leaves_statements_out(desk: Path) -> None:
    text = page("--detail", "record")
    assert "What happened" in text and "<svg" in text
    assert not any(secret in text for secret in ("perhaps twenty", "5 asked", "Director A", "Ask both sides"))


def test_a_ruling_in_words_keeps_its_words_from_the_public(desk: Path) -> None:
    own("", 'laws = ["73F"]\nfinding = "South looked at his partner"')
    for form in ("rulings", "summary"):
        done = call("report", "session.pbn", "--rulings", ".", "--form", form, "--detail", "public", "-o", "-")
        assert "Law 73F" in done.out and "South looked" not in done.out


# Every text that is written freely has a word of its own; what a desk and the record's readers see, and what else.
TOLD = {
    "rulings": {"NOTEX", "WORDSX", "PENALTYNOTEX", "South and West", "CALLX"},
    "appeal": {"NOTEX", "WORDSX", "South and West", "CALLX"},
    "summary": {"NOTEX", "WORDSX", "PENALTYNOTEX", "South and West"},
}
PRIVATE = {
    "rulings": {"SAIDX", "POLLX", "DIRECTORX", "OVERRIDEX"},
    "appeal": {"SAIDX", "POLLX", "DIRECTORX", "OVERRIDEX", "PRIVATEX"},
    "summary": set(),
}
EVERYTHING = TOLD["rulings"] | PRIVATE["appeal"] | {"PENALTYPRIVATEX"}


@pytest.mark.parametrize("form", TOLD)
@pytest.mark.parametrize("detail", ["public", "record", "full"])
def test_a_paper_tells_what_its_detail_may(desk: Path, form: str, detail: str) -> None:
    data = Path("session.pbn").read_bytes()
    Path("session.pbn").write_bytes(re.sub(rb"1H (1S 2H 2S[^\[]*)", rb'1H =1= \1[Note "1:CALLX"]\n', data, count=1))
    own(
        'score = "4S N -1"\nwithout-error.ew = "3H W ="\nnote = "NOTEX"\nprivate = "PRIVATEX"\noverride = "OVERRIDEX"\n'
        'director = "DIRECTORX"',
        'decision = "tempo"\npoll = "POLLX"\nsaid = { N = "SAIDX" }\nfacts = { slow-side = "SW", pace = "slow" }\n'
        '[[ruling.ground]]\nlaws = ["73F"]\nfinding = "WORDSX"\n'
        '[[penalty]]\nid = "2"\ncontestant = "4"\ndirection = "NS"\nkind = "procedural"\namount = "25% top"\n'
        'note = "PENALTYNOTEX"\nprivate = "PENALTYPRIVATEX"',
    )
    done = call("report", "session.pbn", "--rulings", ".", "1", "--form", form, "--detail", detail, "-o", "-")
    expected: set[str] = {"public": set(), "record": TOLD[form], "full": TOLD[form] | PRIVATE[form]}[detail]
    assert {token for token in EVERYTHING if token in done.out} == expected
    for always in ("Law 73F", "4S N -1", "East-West would have had 3H W =", "MP NS"):
        assert always in done.out, always


def test_the_appeal_form_is_for_one_ruling_and_has_room_for_signatures(desk: Path) -> None:
    text = page("A-2", "--form", "appeal", name="session.appeal-A-2.html")
    assert "Ask both sides to write before the break." in text and "Appeals committee" in text
    assert "Not for publication" in text
    done = call("report", "session.pbn", "--rulings", ".", "--form", "appeal")
    assert done.code == 2 and "is for one ruling" in done.err


# ---------------------------------------------------------------------------------------------------------- odd texts


@pytest.mark.parametrize("text", [HOSTILE, LETTERS, "x" * 2000, "two\nlines"], ids=["code", "letters", "long", "lines"])
def test_any_text_is_shown_as_it_is_and_closes_nothing(desk: Path, text: str) -> None:
    escaped = '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    own(f"note = {escaped}\nprivate = {escaped}", f"finding = {escaped}\nsaid = {{ N = {escaped} }}\npoll = {escaped}")
    tags = Tags(page("1", "--form", "appeal", name="session.appeal-1.html"))
    assert not tags.open and "script" not in {tag for tag, _ in tags.found}
    assert "".join(tags.words).count(text) == 5


def test_a_page_without_a_deal_or_an_auction_is_a_page(desk: Path) -> None:
    Path("session.pbn").write_bytes(
        re.sub(rb'\[Deal "[^"]*"\]', b'[Deal "N:nothing"]', Path("session.pbn").read_bytes())
    )
    assert not Tags(page()).open


# ------------------------------------------------------------------------------------------------------ where it goes


def test_a_page_goes_beside_the_file_or_where_it_was_asked_for(desk: Path) -> None:
    page()
    call("report", "session.pbn", "--rulings", ".", "-o", "elsewhere.html")
    assert Path("elsewhere.html").read_bytes() == Path("session.rulings.html").read_bytes()
    shown = call("report", "session.pbn", "--rulings", ".", "-o", "-")
    assert shown.data.startswith(b"<!DOCTYPE html>")
    done = call("report", "session.pbn", "--rulings", ".", "-o", "rulings-a.toml")
    assert done.code == 2 and "one of the rulings files" in done.err


def test_without_jinja_the_way_out_is_named(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = builtins.__import__

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name == "jinja2":
            raise ImportError(name)
        return real(name, *rest, **more)

    reports._template.cache_clear()
    monkeypatch.setattr(builtins, "__import__", missing)
    done = call("report", "session.pbn", "--rulings", ".")
    reports._template.cache_clear()
    assert done.code == 2 and "pip install screenplug[report]" in done.err and "--form summary" in done.err
    assert "== Ruling A-1" in call("report", "session.pbn", "--rulings", ".", "--form", "summary").out


# ------------------------------------------------------------------------------------------------ picture and auction


def test_the_picture_says_in_words_what_it_shows() -> None:
    facts = {"offender": "W", "moved-by": "S", "tray": "passed", "noticed-on": "other-side"}
    drawn = picture.table(facts)
    assert drawn
    for said in ("The irregularity was West's.", "South moved the tray.", "The tray was with North and East.",
                 "It was noticed by North and East."):  # fmt: skip
        assert said in drawn.text
    assert 'class="seat offender" cx="30"' in drawn.svg and "tray" in drawn.svg
    slow = picture.table({"slow-side": "SW", "seconds": 40, "pace": "slow", "attention-by": "N"})
    assert slow
    assert "The tray came slowly from South and West and stayed there for 40 seconds." in slow.text
    still = picture.table({"offender": "E", "tray": "not-passed"})
    assert still and still.text.endswith("The tray was with North and East.")


@pytest.mark.parametrize("seat", "NESW")
@pytest.mark.parametrize("noticed", ["offenders-side", "other-side"])
def test_no_caption_touches_the_screen(seat: str, noticed: str) -> None:
    drawn = picture.table(
        {"offender": "W", "tray": "passed", "moved-by": seat, "noticed-on": noticed, "attention-by": seat,
         "slow-side": "NE" if seat in "NE" else "SW", "seconds": 100}
    )  # fmt: skip
    assert drawn
    words = re.findall(r'<text class="time" x="(-?\d+)" y="(-?\d+)"[^>]*>([^<]+)<', drawn.svg)
    assert {text for _, _, text in words} == {"moved it", "noticed", "100 s"}
    for x, y, text in words:
        left, right = (int(x) + side * 3.4 * len(text) for side in (-1, 1))  # about 6.8 wide each, 12 high
        for down in range(int(y) - 10, int(y) + 3):
            if 36 <= down <= 204:  # the screen runs from 40, 40 to 200, 200, and is 5 wide
                assert not left - 5 < down < right + 5, (text, down)


def test_there_is_no_picture_where_the_facts_tell_nothing_of_the_table() -> None:
    assert picture.table({"result": "obtained", "possibilities": "few"}) is None


@pytest.mark.parametrize(
    ("auction", "calls"),
    [
        (b"1NT AP", ["N 1NT", "E Pass", "S Pass", "W Pass"]),
        (b"Pass Pass Pass Pass", ["N Pass", "E Pass", "S Pass", "W Pass"]),
        (b"1S =1= X {comment} ^I 1H", ["N 1S (one)", "E X", "S 1H insufficient-bid"]),
        (b"^S 1C", ["E 1C call-out-of-rotation"]),
        (b"7NT 8C", ["N 7NT", "E 8C bid-above-seven"]),
        (b"1S - 2S *", ["N 1S", "S 2S"]),
    ],
)
def test_the_auction_is_read_call_by_call(auction: bytes, calls: list[str]) -> None:
    tape = pbn.read(b'[Board "1"]\n[Auction "N"]\n' + auction + b'\n[Note "1:one"]\n')
    read = board.calls(tape, tape.games[0])
    parts = [(call.seat, call.text, call.irregular, f"({call.note})" if call.note else "") for call in read]
    shown = [" ".join(filter(None, part)) for part in parts]
    assert shown == calls


def test_the_hands_are_those_of_the_deal_from_its_first_seat() -> None:
    deal = b'[Deal "E:AK.2.. - 3.4.5.T9 QJ.AKQ..2"]'
    hands = board.hands(pbn.read(b'[Board "1"]\n' + deal).games[0])
    assert hands == {"E": ("AK", "2", "", ""), "W": ("3", "4", "5", "T9"), "N": ("QJ", "AKQ", "", "2")}
    assert board.hands(pbn.read(b'[Board "1"]\n[Deal "N:AK.2.x. - - -"]').games[0]) is None


@pytest.mark.parametrize(
    ("state", "said"), [("provisional", "The reason comes later"), ("withdrawn", "No reason was given")]
)
def test_what_was_withdrawn_waits_for_no_reason(desk: Path, state: str, said: str) -> None:
    Path("rulings-a.toml").unlink()
    Path("rulings-b.toml").write_text(
        f'format = 1\n[[ruling]]\nid = "1"\nboard = "8"\nstate = "{state}"\nscore = "A+ / A-"\nregulations = "wbf"\n'
    )
    both = page(), call("report", "session.pbn", "--rulings", ".", "--form", "summary").out
    assert all(said in text for text in both)
