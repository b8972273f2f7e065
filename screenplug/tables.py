"""The rules of one decision as bits of whole numbers: what they say for the facts known so far.

Rules that fit the facts form a forest: an exception hangs under what it is an exception to. For each outcome field the
deepest live rules that state it speak. Each fact costs one ``and``. A missing fact leaves two sets, the rules that
certainly fit and those that may; only where these leave a field open are the fact's values tried one by one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from .lawbook import BASE_NEXT, COMPARE, NO_NEXT, Pool, comparison
from .vocabulary import Decision, Known, Space

# What a field is found to say: a word, GAP (declared), SILENT (no rule), a pair for `next`, a frozenset of several of
# these (a conflict), or None where a missing fact leaves it open.
Said = Any
GAP, SILENT, NEXT = "gap", "silent", "next"
MISSING: Any = object()


def bits(mask: int) -> Iterator[int]:
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


class View:
    """A forest over the rules of one table: the base Laws alone, or the document on them."""

    def __init__(self, parents: Sequence[int], roots: int, stating: Mapping[str, int]) -> None:
        self.parents, self.roots, self.stating = parents, roots, stating
        self.hanging = [(1 << i, above) for i, above in enumerate(parents) if above and not roots >> i & 1]
        self.below = [0] * len(parents)
        for i in reversed(range(len(parents))):
            for parent in bits(parents[i]):
                self.below[parent] |= 1 << i | self.below[i]

    def live(self, fits: int) -> int:
        """Rules that fit and are roots or hang under a live one."""
        live = fits & self.roots
        for bit, above in self.hanging:
            if bit & fits and above & live:
                live |= bit
        return live


class Table:
    """The rules of one decision for one document on one edition, as bits: finds what they say for known facts."""

    def __init__(self, decision: Decision, base: Pool, pool: Pool, displaced: Callable[[str], bool]) -> None:
        self.decision = decision
        rules = {key: rule for key, rule in (base.rules | pool.rules).items() if rule.decides == decision.name}
        covered = {key for key in rules if key in base.rules and key in pool.rules and displaced(rules[key].id)}
        free = {key for key in rules if key not in base.rules and key not in pool.parents}
        above: dict[str, frozenset[str]] = {
            key: frozenset(covered) if key in free else pool.parents.get(key, frozenset()) for key in rules
        }
        depth: dict[str, int] = {}

        def deep(key: str) -> int:
            if key not in depth:
                parents = above[key] | base.parents.get(key, frozenset())
                depth[key] = 1 + max((deep(parent) for parent in parents if parent in rules), default=-1)
            return depth[key]

        order = sorted(rules, key=deep)
        bit = {key: 1 << i for i, key in enumerate(order)}
        self.rules = [rules[key] for key in order]
        self.laws = sum(bit[key] for key in order if key in base.rules)
        self.screen = sum(bit[key] for key in order if key in pool.rules and key not in base.rules)
        self.covered = sum(bit[key] for key in covered)
        self.unusual = sum(bit[key] for key in order if rules[key].usual)
        self.fields = tuple(decision.outcome)
        self.space = Space(decision, self.limits(base, pool))
        self.allow = {
            name: self.allowing(name, base, pool) for name in (*decision.facts, *decision.derived) if self.tested(name)
        }
        self.touched = {name: self.touching(name) for name in decision.facts}

        def view(members: Pool, parents: Callable[[str], frozenset[str]], loose: set[str], silenced: int) -> View:
            masks = [sum(bit[each] for each in parents(key) if each in bit) for key in order]
            roots = sum(bit[key] for key in order if key in members.rules and (key in loose or not parents(key)))
            inside = sum(bit[key] for key in order if key in members.rules)
            stating = {name: self.stating(name) & inside for name in (*self.fields, NEXT)}
            for name in stating:
                if name not in decision.references:
                    stating[name] &= ~silenced
            masks = [mask if inside >> i & 1 else 0 for i, mask in enumerate(masks)]
            return View(masks, roots, stating)

        self.base = view(base, lambda key: base.parents.get(key, frozenset()), set(), 0)
        self.view = self.base if pool is base else view(pool, lambda key: above[key], free, self.covered)

    def limits(self, base: Pool, pool: Pool) -> dict[str, list[int]]:
        cuts: dict[str, set[int]] = {}
        for rule in self.rules:
            for name, tests in rule.when.items():
                if name in self.decision.facts and self.decision.facts[name].number:
                    values = (base if rule.key in base.rules else pool).values
                    cuts.setdefault(name, set()).update(comparison(test, values)[1] for test in tests)
        return {name: sorted(each) for name, each in cuts.items()}

    def tested(self, name: str) -> int:
        return sum(1 << i for i, rule in enumerate(self.rules) if name in rule.when)

    def allowing(self, name: str, base: Pool, pool: Pool) -> dict[str | int | None, int]:
        """For each value of a fact the rules that it leaves possible; None for an absent fact."""
        aside = (1 << len(self.rules)) - 1 & ~self.tested(name)
        fact = self.decision.facts.get(name) or self.decision.derived[name]
        masks: dict[str | int | None, int] = {None: aside}
        for value in self.space.values.get(name, fact.values):
            masks[value] = aside
            for i, rule in enumerate(self.rules):
                tests = rule.when.get(name, ())
                if isinstance(value, int):
                    values = (base if rule.key in base.rules else pool).values
                    hits = any(
                        COMPARE[sign](value, limit) for sign, limit in (comparison(test, values) for test in tests)
                    )
                else:
                    hits = value in tests
                masks[value] |= hits << i
        return masks

    def touching(self, name: str) -> int:
        """The rules that a fact can reach: by itself, by what is derived from it, by what it makes apply."""
        mask = self.tested(name)
        for each in self.space.feeds[name]:
            mask |= self.tested(each.name)
        for other, _ in self.space.governs[name]:
            mask |= self.touching(other)
        return mask

    def stating(self, name: str) -> int:
        return sum(
            1 << i
            for i, rule in enumerate(self.rules)
            if rule.whole or rule.as_if or (rule.next if name == NEXT else name in rule.then)
        )

    def fits(self, known: Known) -> tuple[int, int]:
        """The rules that certainly fit the known facts, and those that may."""
        sure = maybe = (1 << len(self.rules)) - 1
        for name, masks in self.allow.items():
            if name in known:
                sure &= masks[known[name]]
                maybe &= masks[known[name]]
                continue
            any_of, all_of = 0, -1
            for value in self.space.candidates(known, name):
                any_of |= masks[value]
                all_of &= masks[value]
            sure &= all_of
            maybe &= any_of
        return sure, maybe


class Case:
    """Known facts put to a table. ``skip`` are rules that do not exist for it, ``top`` is the view that decides."""

    def __init__(self, table: Table, known: Known, skip: int, top: View) -> None:
        self.table, self.known, self.skip, self.top = table, known, skip, top
        sure, maybe = table.fits(known)
        self.sure, self.maybe = sure & ~skip, maybe & ~skip
        self.live: dict[View, tuple[int, int]] = {}
        self.found: dict[tuple[View, str], Said] = {}
        self.supposed: dict[int, Case] = {}

    def alive(self, view: View) -> tuple[int, int]:
        """The rules certainly live, and those that may be."""
        if view not in self.live:
            sure = view.live(self.sure)
            self.live[view] = sure, sure if self.sure == self.maybe else view.live(self.maybe)
        return self.live[view]

    def suppose(self, i: int) -> Case:
        """The case with the facts that rule i replaces; a fact out of place there drops out."""
        if i not in self.supposed:
            table = self.table
            space, names = table.space, table.decision.facts
            known: Known = {}
            for name in names:
                value = table.rules[i].as_if.get(name, MISSING)
                if value is MISSING:
                    candidates = space.candidates(self.known, name)
                    if len(candidates) > 1:
                        continue
                    value = candidates[0]
                absent = None in space.candidates(known, name)
                known = space.with_fact(known, name, None if absent else space.banded(name, value))
            self.supposed[i] = Case(table, known, self.skip | 1 << i, self.top)
        return self.supposed[i]

    def leaves(self, view: View, name: str) -> list[int]:
        """Rules that may be the deepest live ones to state the field."""
        sure, maybe = self.alive(view)
        stating = view.stating[name]
        return [i for i in bits(stating & maybe) if not view.below[i] & stating & sure]

    def stated(self, view: View, i: int, name: str) -> Said:
        """What rule i says on the field."""
        rule = self.table.rules[i]
        if rule.as_if:
            return self.suppose(i).said(view, name)
        word = rule.whole or rule.then.get(name, "")
        if word == "base":
            return self.said(self.table.base, name)
        if name == NEXT and not rule.whole:
            if rule.next == BASE_NEXT:
                return self.said(self.table.base, NEXT)
            return NO_NEXT if rule.next == NO_NEXT else (rule.next, rule.hand_over)
        return word

    def said(self, view: View, name: str) -> Said:
        """What the live rules say on the field."""
        if (view, name) not in self.found:
            self.found[view, name] = self.settle(view, name)
        return self.found[view, name]

    def settle(self, view: View, name: str) -> Said:
        leaves = self.leaves(view, name)
        if not leaves:
            return SILENT
        words = {self.stated(view, i, name) for i in leaves}
        sure, _ = self.alive(view)
        if SILENT in words and len(words) > 1:
            words = words - {SILENT} | {GAP}
        if None in words:
            return None
        if len(words) == 1:
            word = next(iter(words))
            return word if word in (GAP, SILENT) or any(sure >> i & 1 for i in leaves) else None
        if not all(sure >> i & 1 for i in leaves):
            return None
        return frozenset(part for word in words for part in (word if isinstance(word, frozenset) else (word,)))

    def answer(self) -> tuple[Said, ...]:
        """What is said on each field; silence and a declared gap count alike."""
        said = [self.said(self.top, name) for name in self.table.fields]
        return tuple([GAP if word == SILENT else word for word in said])

    def undecided(self) -> int:
        """Rules of which it depends on missing facts whether they fit."""
        mask = self.maybe & ~self.sure
        for case in self.supposed.values():
            mask |= case.undecided()
        return mask

    def missing(self) -> list[str]:
        """Missing facts that rules still depend on, in the order of the decision."""
        undecided, table = self.undecided(), self.table
        return [
            name
            for name in table.decision.facts
            if name not in self.known
            and table.touched[name] & undecided
            and len(self.table.space.candidates(self.known, name)) > 1
        ]

    def having(self, name: str, value: str | int | None) -> Case:
        return Case(self.table, self.table.space.with_fact(self.known, name, value), self.skip, self.top)

    def silent(self, view: View, name: str) -> bool:
        """Whether a gap is there because no rule speaks, not because a rule declares it."""
        leaves = self.leaves(view, name)
        for i in leaves:
            rule = self.table.rules[i]
            if rule.as_if and self.suppose(i).silent(view, name):
                return True
            if (rule.whole or rule.then.get(name)) == "base" and self.silent(self.table.base, name):
                return True
        return not leaves

    # what the answer rests on

    def bearing(self, view: View, name: str, said: Said) -> list[tuple[int, Said]]:
        """The leaves that carry the field, each with what it says: those certainly live, or else those that may be.

        Each side of a conflict has its own. A leaf whose word hangs on missing facts carries what nothing else does.
        """
        sure, _ = self.alive(view)
        words = {i: self.stated(view, i, name) for i in self.leaves(view, name)}
        pairs: list[tuple[int, Said]] = []
        for part in said if isinstance(said, frozenset) else (said,):
            known = [
                i
                for i, word in words.items()
                if word == part or (word == SILENT and part == GAP) or (isinstance(word, frozenset) and part in word)
            ]
            agreeing = known or [i for i, word in words.items() if word is None]
            pairs += [(i, part) for i in [i for i in agreeing if sure >> i & 1] or agreeing]
        return sorted(pairs, key=lambda pair: pair[0])

    def bearers(self, view: View, name: str, said: Said) -> list[int]:
        return list(dict.fromkeys(i for i, _ in self.bearing(view, name, said)))

    def carriers(self, view: View, name: str, said: Said) -> list[int]:
        """The bearers, with the base rules behind a ``base`` and the rules behind an as-if."""
        found: list[int] = []
        for i in self.bearers(view, name, said):
            rule = self.table.rules[i]
            if rule.as_if:
                found += self.suppose(i).carriers(view, name, said)
            found.append(i)
            if (rule.whole or rule.then.get(name)) == "base":
                found += self.carriers(self.table.base, name, said)
        return list(dict.fromkeys(found))

    def ancestry(self, view: View, i: int) -> int:
        sure, maybe = self.alive(view)
        live, mask = (sure if sure >> i & 1 else maybe), 1 << i
        for parent in bits(view.parents[i] & live):
            mask |= self.ancestry(view, parent)
        return mask

    def path(self, view: View, said: Mapping[str, Said]) -> list[int]:
        """Rules in the order of the argument: what an as-if leads to, roots, their exceptions; the base Laws last where
        they decide most of it."""
        head, base, first = 0, {}, []
        for name, word in said.items():
            for i in self.bearers(view, name, word):
                head |= self.ancestry(view, i)
                rule = self.table.rules[i]
                if rule.as_if:
                    first += self.suppose(i).path(view, {name: word})
                elif (rule.whole or rule.then.get(name)) == "base":
                    base[name] = self.said(self.table.base, name)
        behind = self.path(self.table.base, base) if base else []
        laws = self.table.laws
        middle = sorted(bits(head), key=lambda i: (not laws >> i & 1, i))
        early = [i for i in dict.fromkeys(first) if not (head >> i & 1 and not laws >> i & 1)]
        if len(base) * 2 <= len(said):  # the base Laws add to an answer that is not theirs
            return list(dict.fromkeys([*early, *behind, *middle]))
        return [i for i in dict.fromkeys([*early, *middle]) if i not in behind] + behind

    def sides(self, view: View, said: Mapping[str, Said]) -> list[tuple[int, dict[str, str]]]:
        """For fields in conflict what each rule says; a conflict inside the base Laws or an as-if is taken apart."""
        sides: list[tuple[int, dict[str, str]]] = []
        for name, word in said.items():
            pairs: list[tuple[int, Said]] = []
            for i, part in self.bearing(view, name, word):
                stated = self.stated(view, i, name)
                if isinstance(stated, frozenset):
                    inner, deeper = (self.suppose(i), view) if self.table.rules[i].as_if else (self, self.table.base)
                    pairs += [(j, words[name]) for j, words in inner.sides(deeper, {name: stated})]
                else:
                    pairs.append((i, part))
            for i, part in dict.fromkeys(pairs):
                words = next((words for j, words in sides if j == i and name not in words), None)
                if words is None:
                    sides.append((i, words := {}))
                words[name] = part
        return sides


def spread(case: Case) -> set[tuple[Said, ...]]:
    """The answers that completions of the facts give; two are enough."""
    answer = case.answer()
    if None not in answer:
        return {answer}
    answers: set[tuple[Said, ...]] = set()
    names = case.missing()
    for value in case.table.space.candidates(case.known, names[0]):
        answers |= spread(case.having(names[0], value))
        if len(answers) > 1:
            break
    return answers


def differ(cases: Sequence[Case]) -> bool:
    """Whether cases that differ in one fact can have different answers once the other facts are filled in alike."""
    answers = [case.answer() for case in cases]
    settled = {answer for answer in answers if None not in answer}
    if len(settled) > 1:
        return True
    if all(None not in answer for answer in answers):
        return False
    wanted = {name for case, answer in zip(cases, answers, strict=True) if None in answer for name in case.missing()}
    space = cases[0].table.space
    name = next(name for name in space.values if name in wanted)
    candidates = [space.candidates(case.known, name) for case in cases]
    for value in dict.fromkeys(each for row in candidates for each in row if each is not None):
        filled = [
            case if name in case.known else case.having(name, value if value in row else None)
            for case, row in zip(cases, candidates, strict=True)
            if name in case.known or value in row or row == (None,)
        ]
        if len(filled) > 1 and differ(filled):
            return True
    return False
