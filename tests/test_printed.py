"""What the file prints of boards and standings, against what we compute."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import call, fine

HEAD = '[Event "Oak"]\n[Board "1"]\n[Vulnerable "None"]\n[Scoring "MP"]\n'
BOARDS = '[ScoreTable "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1R;Result\\2R;MP_NS\\5R;MP_EW\\5R"]\n'
ROWS = " 1 11 4S   N 10   2.0   0.0\n 2 12 4S   N  9   0.0   2.0\n"
TOTALS = '[TotalScoreTable "{}"]\n'
PLAIN = TOTALS.format("Rank\\2R;PairId\\2R;TotalMP\\6R;TotalPercentage\\6R;NrBoards\\2R")
RIGHT = " 1  1   2.00  100.0  1\n 2  2   0.00    0.0  1\n 1 12   2.00  100.0  1\n 2 11   0.00    0.0  1\n"


@pytest.fixture(autouse=True)
def desk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(totals: str, rows: str = ROWS, name: str = "a.pbn") -> None:
    Path(name).write_text(HEAD + BOARDS + rows + totals, newline="\n")


def rulings(text: str) -> None:
    Path("r.toml").write_text(f'format = 1\n[default]\nlaws = "laws-2017"\n{text}')


def test_standings_that_are_right_count_with_the_boards() -> None:
    write(PLAIN + RIGHT)
    assert fine(call("score", "a.pbn")).out.splitlines()[-1] == "all 20 printed figures are what we compute"


def test_wrong_totals_ranks_and_numbers_of_boards_are_told_with_the_difference() -> None:
    write(PLAIN + RIGHT.replace(" 1  1   2.00  100.0  1", " 9  1   3.50   99.0  1"))
    assert call("score", "a.pbn").out.splitlines()[-4:] == [
        "3 of 20 printed figures are not what we compute",
        "  pair 1 NS, Rank: printed 9, computed 1, by -8",
        "  pair 1 NS, TotalMP: printed 3.50, computed 2, by -1.5",
        "  pair 1 NS, TotalPercentage: printed 99.0, computed 100, by 1",
    ]


def test_nothing_is_said_to_be_right_where_nothing_is_printed_or_read() -> None:
    write("", "".join(f"{row[:15]}   -     -\n" for row in ROWS.splitlines()))
    assert "no printed figures to compare" in call("score", "a.pbn").out
    write("", ROWS + " 3\n")
    out = call("score", "a.pbn").out
    assert "no printed figures to compare" in out and "not compared: board 1, 15 cells do not fill rows" in out


def test_figures_beside_an_unknown_score_are_not_said_to_be_right() -> None:
    write(PLAIN + RIGHT, ROWS.replace("4S   N  9", "?    ?  ?"))
    assert " more have no computed figure beside them" in call("score", "a.pbn").out


@pytest.mark.parametrize("who", ["PairId", "TeamId", "Names"])
def test_totals_are_found_by_each_column_that_says_whose_they_are(who: str) -> None:
    write(TOTALS.format(f"Rank;{who};MP") + "1 1 9\n2 2 0\n")
    assert "pair 1 NS, MP: printed 9, computed 2" in call("score", "a.pbn").out


@pytest.mark.parametrize(
    ("header", "rows", "told"),
    [
        ("Rank;PairId;TotalMP", "1 1 9\n2 99 0\n", "PairId 99 has no result here, or two rows"),
        ("Rank;Club;TotalMP", "1 1 9\n2 2 0\n", "no column of PairId, TeamId, PlayerId, Names says whose"),
        ("Rank;PairId;TotalMP;NrBoards", "1 1 9 24\n2 2 0 24\n", "24 boards of 1 count there, here 1"),
        ("Rank;PairId;TotalMP", "1 1 2\n1 1 2\n", "PairId 1 has no result here, or two rows"),
    ],
)
def test_standings_of_something_else_stay_and_are_told(header: str, rows: str, told: str) -> None:
    write(TOTALS.format(header) + rows)
    assert f"not compared: TotalScoreTable: {told}" in fine(call("score", "a.pbn")).out
    done = call("rescore", "a.pbn")
    assert done.code == 1 and f"error: TotalScoreTable: {told}" in done.err
    assert rows in Path("a.rescored.pbn").read_text()


def test_sections_that_use_the_same_numbers_have_their_own_totals() -> None:
    for section, tricks in (("A", 10), ("B", 12)):
        head = HEAD.replace("[Board", f'[Section "{section}"]\n[Board')
        rows = f" 1 11 4S   N {tricks:>2}   2.0   0.0\n 2 12 4S   N  9   0.0   2.0\n"
        totals = TOTALS.format("PairId;TotalMP") + "1 0\n2 0\n11 0\n12 0\n"
        Path(f"{section}.pbn").write_text(head + BOARDS + rows + totals)
    out = fine(call("score", "A.pbn", "B.pbn", "--together")).out
    assert "pair A1 NS, TotalMP: printed 0, computed 2" in out and "pair B12 EW, TotalMP: printed 0, computed 2" in out


def test_decimal_commas_stay_commas_in_boards_and_standings() -> None:
    comma = (RIGHT + "").replace(".", ",")
    rows = " 1 11 4S   N 10     2     0\n 2 12 4S   N  9     0     2\n"
    write(PLAIN + comma, rows)
    rulings('[[ruling]]\nid = "1"\nboard = 1\nns = 1\new = 11\nscore = "60% 4S N =, 40% 4S N -1"\nlaws = "laws-2017"\n')
    done = fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    after = Path("a.rescored.pbn").read_text()
    assert " 1 11 4S   N 10   1,6   0,4" in after and "  1,60   80,0" in after
    assert "." not in after.split("\n", 1)[1].replace("[", ""), done.out


def test_a_total_that_a_ruling_moves_by_less_than_it_is_printed_with_is_written_exactly() -> None:
    write(TOTALS.format("Rank;PairId;TotalMP") + "1 1 2\n2 2 0\n1 12 2\n2 11 0\n")
    rulings('[[ruling]]\nid = "1"\nboard = 1\nns = 1\new = 11\nscore = "90% 4S N =, 10% 4S N -1"\n')
    fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    assert "1 1 1.9\n" in Path("a.rescored.pbn").read_text()


def test_the_policy_of_a_rulings_file_without_a_ruling_counts() -> None:
    write(PLAIN + RIGHT)
    rulings('policy = "acbl"\n[[penalty]]\nid = "1"\ncontestant = "2"\ndirection = "NS"\nkind = "warning"\n')
    assert fine(call("score", "a.pbn", "--rulings", "r.toml")).out.startswith("a.pbn: policy acbl")
    Path("s.toml").write_text('format = 1\n[default]\npolicy = "wbf"\n')
    done = fine(call("score", "a.pbn", "--rulings", "r.toml", "--rulings", "s.toml"))
    assert "policy acbl" in done.out and "several scoring policies, acbl, wbf; acbl is used" in done.err


def test_what_a_fouled_board_moves_is_told_and_written() -> None:
    rows = "".join(f" {n} 1{n} 4S   N {tricks}   0.0   0.0\n" for n, tricks in ((1, 10), (2, "11"), (3, 12), (4, "13")))
    write("", rows)
    rulings('[[fouled]]\nboard = 1\ngroups = [["1-11", "2-12"], ["3-13", "4-14"]]\n')
    done = fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    assert "8 of 8 contestants moved by the rulings" in done.out
    # Two of four, by the formula of Neuberg: 0 and 2 of 2 become 1 and 5 of 6.
    shown = [line.split()[5:] for line in Path("a.rescored.pbn").read_text().splitlines()[6:]]
    assert shown == [["1.0", "5.0"], ["5.0", "1.0"], ["1.0", "5.0"], ["5.0", "1.0"]]


ROWS_OF_FOUR = " 1 11 4S   N 10   3.0   1.0\n 2 12 4S   N 10   3.0   1.0\n 3 13 4S   N  9   0.0   4.0\n"
LOSING = '[[ruling]]\nid = "1"\nboard = 1\nns = 1\new = 11\nscore = "4S N -2"\n'


def rescored(standings: str, ruling: str = LOSING, rows: str = ROWS_OF_FOUR) -> list[str]:
    """The standings of a file after a ruling."""
    write(standings, rows)
    rulings(ruling)
    fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    text = Path("a.rescored.pbn").read_text()
    return text[text.index("[TotalScoreTable") :].splitlines()[1:]


def test_ties_and_percentages_stay_as_the_file_writes_them() -> None:
    header = TOTALS.format("Rank\\2R;PairId\\2R;TotalPercentage\\6R")
    after = rescored(header + "=1  1  75.0%\n=1  2  75.0%\n 3  3   0.0%\n")
    assert after == [" 1  2 100.0%", " 2  3  50.0%", " 3  1   0.0%"]
    tied = LOSING.replace("-2", "-1")
    after = rescored(header + "=1  1  75.0%\n=1  2  75.0%\n 3  3   0.0%\n", tied)
    assert after == [" 1  2 100.0%", "=2  1  25.0%", "=2  3  25.0%"]


def test_a_table_in_the_order_of_the_pairs_keeps_it() -> None:
    header = TOTALS.format("Rank\\2R;PairId\\2R;TotalMP\\4R")
    assert rescored(header + " 3  3  0.0\n 1  1  3.0\n 1  2  3.0\n")[0][:6] == " 2  3 "


def test_two_rankings_in_one_table_are_not_mixed() -> None:
    header = TOTALS.format("Rank\\2R;PairId\\2R;TotalMP\\4R")
    rows = " 1 11 4S   N 10   2.0   2.0\n 2 12 4S   N 10   2.0   2.0\n 3 13 4S   N 10   2.0   2.0\n"
    after = rescored(header + "".join(f" 1 {n:>2}  2.0\n" for n in (1, 2, 3, 11, 12, 13)), LOSING, rows)
    assert [line.split()[1] for line in after] == ["2", "3", "1", "11", "12", "13"]
    assert [line.split()[0] for line in after] == ["1", "1", "3", "1", "2", "2"]


def test_a_ranking_over_both_directions_stays_one() -> None:
    header = TOTALS.format("Rank\\2R;PairId\\2R;TotalMP\\4R")
    after = rescored(header + " 1 13  4.0\n 2  1  3.0\n 2  2  3.0\n 4 11  1.0\n 4 12  1.0\n 6  3  0.0\n")
    assert [line.split()[:2] for line in after] == [
        ["1", "2"], ["1", "11"], ["3", "13"], ["3", "3"], ["5", "1"], ["5", "12"]
    ]  # fmt: skip


def test_the_standings_of_a_section_are_ranked_within_it() -> None:
    for section, tricks in (("A", 10), ("B", 12)):
        head = HEAD.replace("[Board", f'[Section "{section}"]\n[Board')
        rows = f" 1 11 4S   N {tricks:>2}   2.0   0.0\n 2 12 4S   N {tricks - 1:>2}   0.0   2.0\n"
        totals = TOTALS.format("Rank;PairId;TotalMP") + "1 1 2\n2 2 0\n1 12 2\n2 11 0\n"
        Path(f"{section}.pbn").write_text(head + BOARDS + rows + totals)
    out = fine(call("score", "A.pbn", "B.pbn", "--together")).out
    assert "all 24 printed figures are what we compute" in out


def test_earlier_standings_of_the_same_contestants_stay_and_are_told() -> None:
    first = TOTALS.format("PairId;TotalMP") + "1 2\n2 0\n"
    second = HEAD.replace('"1"', '"2"') + BOARDS + ROWS + TOTALS.format("PairId;TotalMP") + "1 4\n2 0\n"
    write(first + "\n" + second)
    out = fine(call("score", "a.pbn")).out
    assert "all 10 printed figures" in out and "not compared: TotalScoreTable: a later one has the same" in out
    fine(call("rescore", "a.pbn"))
    assert first in Path("a.rescored.pbn").read_text()


def test_artificial_scores_in_words_stay_and_marked_figures_stay_marked() -> None:
    words = ' 1 11 -    - -   "A+"  "A-"\n' + ROWS.replace(" 1 11", " 3 13")
    write("", words)
    rulings(LOSING.replace("ns = 1\new = 11", "ns = 3\new = 13"))
    fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    assert ' 1 11 -    - -   "A+"  "A-"\n' in Path("a.rescored.pbn").read_text()
    write("", words.replace('"A+"  "A-"', " ^2.4  ^1.6"))
    rulings('[[ruling]]\nid = "1"\nboard = 1\nns = 1\new = 11\nscore = "50% / 50%"\n')
    fine(call("rescore", "a.pbn", "--rulings", "r.toml"))
    assert " 1 11 -    - -    ^2.0  ^2.0\n" in Path("a.rescored.pbn").read_text()


def test_what_there_is_to_say_about_scores_is_told_three_times_each() -> None:
    write("", "".join(f" {n} 1{n} ?    ?  ?   ?     ?\n" for n in range(1, 7)) + ROWS.replace(" 1 11", " 7 17"))
    done = call("score", "a.pbn")
    assert done.err.count("no result") == 3 and "3 more of this kind (result-missing)" in done.err
    assert "provisional" in call("rescore", "a.pbn").out


def test_a_team_without_opponents_has_no_match() -> None:
    game = '[Event "Oak"]\n[Board "1"]\n[Vulnerable "None"]\n[Scoring "IMP"]\n[HomeTeam "{}"]\n[VisitTeam "{}"]\n'
    game += '[Room "{}"]\n[Declarer "S"]\n[Contract "{}"]\n[Result "{}"]\n\n'
    text = game.format("Ash", "Birch", "Open", "4H", 10) + game.format("Ash", "Birch", "Closed", "4H", 9)
    Path("a.pbn").write_text(text + game.format("Fir", "Bye", "Open", "?", "?"))
    done = fine(call("score", "a.pbn"))
    assert "Bye" not in done.out and "provisional" not in done.out and not done.err


def test_a_ruling_on_another_result_than_the_file_has_is_told_with_the_scores() -> None:
    write("", ROWS)
    rulings('[[ruling]]\nid = "1"\nboard = 1\nns = 1\new = 11\ntable = "3NT N ="\nscore = "4S N -2"\n')
    for command in ("score", "rescore"):
        done = fine(call(command, "a.pbn", "--rulings", "r.toml"))
        assert "ruling 1 was made on 3NT N =, but board 1 has 4S N =" in done.err


def test_two_columns_that_share_their_blanks_stay_apart() -> None:
    weighted = 'score = "33% 4S N =, 67% 4S N -1"'
    header = BOARDS.replace("MP_NS\\5R;MP_EW\\5R", "MP_NS\\4L;MP_EW\\4R")
    Path("a.pbn").write_text(HEAD + header + "".join(f" {n} 1{n} 4S   N 10 2  2\n" for n in (1, 2, 3)))
    rulings(f'[[ruling]]\nid = "1"\nboard = "1"\nns = "1"\n{weighted}\n')
    fine(call("rescore", "a.pbn", "--rulings", "r.toml", "-o", "b.pbn"))
    assert Path("b.pbn").read_text().splitlines()[-3].split()[-2:] == ["0.66", "3.34"]
    assert fine(call("rescore", "b.pbn", "--rulings", "r.toml", "-o", "c.pbn")) and Path("b.pbn").read_bytes() == (
        Path("c.pbn").read_bytes()
    )


SIT_OUT = " 3 -  {}\n"


@pytest.mark.parametrize(
    ("cells", "total"),
    [
        ("-    -  -  A+     -", "1.2 MP 60%"),
        ("-    -  -  -      -", None),
        ("A+   -  -  -      -", "1.2 MP 60%"),
        ("60%-40% - - -     -", "1.2 MP 60%"),
    ],
)
def test_what_a_pair_has_for_sitting_out_is_its_own_alone(cells: str, total: str | None) -> None:
    write("", ROWS + SIT_OUT.format(cells))
    out = fine(call("score", "a.pbn")).out
    assert "2 MP 100%  pair 1 NS" in out  # a board of two tables still
    assert (f"{total}  pair 3 NS" in out) == (total is not None) and "pair - " not in out


def test_a_ruling_on_a_pair_that_sits_out_makes_the_board_no_larger() -> None:
    write("", ROWS + SIT_OUT.format("-    -  -  -      -"))
    rulings('[[ruling]]\nid = "1"\nboard = "1"\nns = "3"\nscore.ns = "60%"\nscore.ew = "not played"\n')
    out = fine(call("score", "a.pbn", "--rulings", "r.toml")).out
    assert "2 MP 100%  pair 1 NS" in out and "1.2 MP 60%  pair 3 NS" in out


@pytest.mark.parametrize(
    ("rows", "top"),
    [
        (" 1 11 4S   N 10 5 3 1\n -  - 4S   N 10 5 3 3\n 2 12 4S   N  9 0 8 1\n", 8),
        (" 1 11 4S   N 10 3 1 2\n 3 13 4S   N 10 3 1 2\n 2 12 4S   N  9 0 4 1\n", 4),
    ],
)
def test_multiplicity_counts_results_whether_each_has_a_row_or_not(rows: str, top: int) -> None:
    columns = "PairId_NS\\2R;PairId_EW\\2R;Contract\\4L;Declarer\\1R;Result\\2R;MP_NS;MP_EW;Multiplicity"
    Path("a.pbn").write_text(f'{HEAD}[ScoreTable "{columns}"]\n{rows}')
    out = fine(call("score", "a.pbn")).out
    assert "all 6 printed figures are what we compute" in out and f"{top} MP 100%  pair 12 EW" in out


def test_the_tag_of_matchpoints_counts_two_a_comparison_whatever_the_method() -> None:
    games = [
        HEAD.replace('"MP"', '"MP;MP2"')
        + f'[Table "{n}"]\n[PairNS "{n}"]\n[PairEW "1{n}"]\n[Contract "4S"]\n[Declarer "N"]\n'
        + f'[Result "{10 - (n == 2)}"]\n[ScoreMP "NS {ns} EW {4 - ns}"]\n'
        for n, ns in ((1, 3), (2, 0), (3, 3))
    ]
    Path("a.pbn").write_text("\n".join(games))
    out = fine(call("score", "a.pbn")).out
    assert "all 6 printed figures are what we compute" in out and "1.5 MP 75%  pair 1 NS" in out


def test_decimal_commas_with_a_percent_sign_stay_commas() -> None:
    header = "PairId_NS;PairId_EW;Contract;Declarer;Result;Percentage_NS;Percentage_EW"
    rows = "1 11 4S N 10 100,0% 0,0%\n2 12 4S N 9 0,0% 100,0%\n"
    Path("a.pbn").write_text(f'{HEAD}[ScoreTable "{header}"]\n{rows}')
    rulings('[[ruling]]\nid = "1"\nboard = "1"\nns = "1"\nscore = "4S N -1"\n')
    fine(call("rescore", "a.pbn", "--rulings", "r.toml", "-o", "b.pbn"))
    assert Path("b.pbn").read_text().count("50,0%") == 4


def test_a_total_percentage_beside_a_mean_is_the_sum_of_the_boards() -> None:
    second = (HEAD + BOARDS + ROWS).replace('"1"]', '"2"]')
    totals = TOTALS.format("Rank;PairId;TotalPercentage;MeanPercentage") + "1 1 200.0 100.0\n2 2 0.0 0.0\n"
    Path("a.pbn").write_text(HEAD + BOARDS + ROWS + "\n" + second + totals)
    assert "all 14 printed figures are what we compute" in fine(call("score", "a.pbn")).out


def test_sections_in_one_table_have_rankings_of_their_own() -> None:
    columns = "Section\\1L;" + BOARDS.split('"')[1]
    rows = "A  1 11 4S   N 10   4.0   2.0\nA  2 12 4S   N  9   0.0   6.0\n"
    rows += "B  3 13 4S   N 10   4.0   2.0\nB  4 14 4S   N 10   4.0   2.0\n"
    totals = TOTALS.format("Section;Rank;PairId") + "A 1 1\nA 2 2\nB 1 3\nB 1 4\n"
    Path("a.pbn").write_text(f'{HEAD}[ScoreTable "{columns}"]\n{rows}{totals}')
    assert "all 12 printed figures are what we compute" in fine(call("score", "a.pbn")).out


def test_teams_that_change_places_within_a_round_play_one_match() -> None:
    games = []
    for board, (home, visitors) in enumerate((("Ash", "Birch"), ("Birch", "Ash")), 1):
        for table, tricks in (("Open", 10), ("Closed", 9)):
            where = f'[Board "{board}"]\n[Room "{table}"]\n[HomeTeam "{home}"]\n[VisitTeam "{visitors}"]\n'
            result = f'[Contract "4S"]\n[Declarer "N"]\n[Result "{tricks}"]\n'
            games.append(f'[Event "Oak"]\n[Round "1"]\n[Vulnerable "None"]\n[Scoring "IMP"]\n{where}{result}')
    Path("a.pbn").write_text("\n".join(games))
    rulings('[contest]\nvp = "wbf"\n')
    out = fine(call("score", "a.pbn", "--rulings", "r.toml")).out.splitlines()
    assert [line.split("  ")[-1] for line in out[1:3]] == [
        "team Ash (Ash-Birch) (2 boards)",
        "team Birch (Ash-Birch) (2 boards)",
    ]
    assert "10 VP" in out[1] and "10 VP" in out[2]
