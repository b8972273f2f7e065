"""No bytes raise anything but our own refusal, hang, or grow: a few mutants of every kind, and bytes from nowhere."""

from __future__ import annotations

import pytest
from fuzz import BOARDS, READERS, TOML, mutant, read_laws, read_ledger, read_tables, read_tape, tried
from hypothesis import given, settings
from hypothesis import strategies as st

from screenplug.model import Refused


@pytest.mark.parametrize("kind", READERS)
@settings(max_examples=60, deadline=None)
@given(number=st.integers(0, 10**9))
def test_a_mutant_of_any_fixture_is_read_or_refused(kind: str, number: int) -> None:
    verdict, details, _ = tried(kind, 0, number)
    assert verdict in ("read", "refused"), (
        f"tests/fuzz.py --only {kind} --seed 0 --first {number} --mutants 1\n{details}"
    )


WORDS = st.lists(st.sampled_from([*BOARDS, b"[", b"]\n", b'"', b"4S ", b"Pass ", b"Board", b"ScoreTable", b"\\3R;"]))


@settings(max_examples=150, deadline=None)
@given(st.one_of(st.binary(max_size=400), WORDS.map(b"".join)))
def test_bytes_from_nowhere_are_read_or_refused(data: bytes) -> None:
    for reader in (read_tape, read_tables):
        try:
            reader(data)
        except Refused as refused:
            assert refused.what


TABLES = st.lists(
    st.sampled_from([*TOML, b"\nid = ", b"\nscore = ", b"\nboard = ", b'"4S S ="', b"\nkind = ", b'"laws"'])
)


@settings(max_examples=100, deadline=None)
@given(st.one_of(st.binary(max_size=200), TABLES.map(b"".join)))
def test_a_rulings_file_or_law_from_nowhere_is_read_or_refused(data: bytes) -> None:
    for reader in (read_ledger, read_laws):
        try:
            reader(data)
        except Refused as refused:
            assert refused.what


def test_a_number_names_its_mutant_for_ever() -> None:
    for kind in READERS:
        assert mutant(kind, 3, 14) == mutant(kind, 3, 14) != mutant(kind, 3, 15)
