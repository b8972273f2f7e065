"""How many mistakes in the law tables would the cases notice? Run on demand, not part of the tests.

    python tests/mutations.py [--mutants 100] [--seed 1] [--decisions NAME...]

Each mutant has one row changed at random: a word of its outcome, a fact of its condition, or an article. A change that
does not load, and one that changes no answer to any facts, is not counted but drawn anew. A mutant is caught when a
case in fixtures/laws/cases*.toml, whose answer was worked out from the text, no longer holds. Survivors are listed.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "hooks"), str(ROOT / "tests")]

from law_cases import FOLDER, expectations, wrong  # noqa: E402

from screenplug import compare, laws  # noqa: E402
from screenplug.lawbook import Document, Rule  # noqa: E402
from screenplug.model import Refused  # noqa: E402

KINDS = ("outcome", "fact", "article")


def mutated(rule: Rule, kind: str, documents: list[Document], rng: random.Random) -> tuple[Rule, str] | None:
    """The rule with one mistake, and the mistake in words; None where it has nothing of the kind."""
    decision = laws.vocabulary().decisions[rule.decides]
    if kind == "outcome":
        fields = [name for name in rule.then if name not in decision.references]
        if not fields:
            return None
        name = rng.choice(fields)
        word = rng.choice([each for each in decision.outcome[name] if each != rule.then[name]] or [rule.then[name]])
        return replace(rule, then=MappingProxyType({**rule.then, name: word})), f"{name} = {rule.then[name]} -> {word}"
    if kind == "fact":
        if not rule.when:
            return None
        name = rng.choice(list(rule.when))
        tests = list(rule.when[name])
        at = rng.randrange(len(tests))
        old = tests[at]
        fact = decision.facts.get(name) or decision.derived[name]
        if decision.facts.get(name) and decision.facts[name].number:
            sign, _, limit = str(old).rpartition(" ")
            signs = [each for each in ("<", "<=", ">", ">=") if each != sign]
            tests[at] = f"{rng.choice(signs)} {limit}"
        else:
            others = [each for each in fact.values if each not in tests]
            if others and (len(tests) == 1 or rng.random() < 0.5):
                tests[at] = rng.choice(others)
            elif len(tests) > 1:
                del tests[at]
            else:
                return None
        shown = f"{name} = {list(rule.when[name])} -> {tests}"
        return replace(rule, when=MappingProxyType({**rule.when, name: tuple(tests)})), shown
    own = next(document for document in documents if document.id == rule.document)
    others = sorted({cite for each in own.rules for cite in each.cites} - set(rule.cites))
    at = rng.randrange(len(rule.cites))
    cites = (*rule.cites[:at], rng.choice(others), *rule.cites[at + 1 :])
    return replace(rule, cites=cites), f"cites {'; '.join(rule.cites)} -> {'; '.join(cites)}"


def mutants(
    documents: list[Document], decisions: list[str], rng: random.Random
) -> Iterator[tuple[laws.Library, Rule, str]]:
    """Endless libraries with one mistake each, in a row on one of the decisions (none: any)."""
    rows = [rule for document in documents for rule in document.rules if not decisions or rule.decides in decisions]
    while True:
        rule, kind = rng.choice(rows), rng.choice(KINDS)
        change = mutated(rule, kind, documents, rng)
        if change is None:
            continue
        changed = {
            document.id: replace(document, rules=tuple(change[0] if row is rule else row for row in document.rules))
            if document.id == rule.document
            else document
            for document in documents
        }
        yield laws.Library(changed), rule, f"{kind}: {rule.key} ({rule.decides}): {change[1]}"


def changes(mutant: laws.Library, original: laws.Library, rule: Rule) -> bool:
    """Whether some document answers otherwise than before, to any facts, or cites another article."""
    for name in original.ids:
        for edition in original.editions(name):
            before, after = original.code(name, edition), mutant.code(name, edition)
            if compare.compare(before, after, rule.decides):
                return True
    return False


def main() -> None:
    parser = argparse.ArgumentParser(description="Count the mistakes in the law tables that the cases notice.")
    parser.add_argument("--mutants", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--decisions", nargs="*", default=[], metavar="NAME", help="mistakes in these tables alone")
    given = parser.parse_args()
    start = time.perf_counter()
    rng = random.Random(given.seed)
    original = laws.load((path.name, path.read_bytes()) for path in sorted(FOLDER.glob("*.toml")))
    documents = list(original.documents.values())
    cases = list(expectations())
    if failing := [case["id"] for case, document, expected in cases if wrong(original, case, document, expected)]:
        sys.exit(f"the cases fail on the tables as they are: {', '.join(failing)}")
    caught: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    survivors: list[str] = []
    same = unloadable = 0
    for mutant, rule, text in mutants(documents, given.decisions, rng):
        if sum(counted.values()) == given.mutants:
            break
        kind = text.partition(":")[0]
        try:
            for name in original.ids:
                for edition in original.editions(name):
                    mutant.code(name, edition)
        except Refused:
            unloadable += 1
            continue
        about = [row for row in cases if row[0]["decision"] == rule.decides]
        if any(wrong(mutant, *row) for row in about):
            caught[kind] += 1
        elif kind != "article" and not changes(mutant, original, rule):
            same += 1
            continue
        else:
            survivors.append(text)
        counted[kind] += 1
    for kind in KINDS:
        print(f"{kind:<8} {caught[kind]:>3} of {counted[kind]:>3} caught")
    print(f"all      {sum(caught.values()):>3} of {given.mutants:>3} caught, {time.perf_counter() - start:.0f} s")
    print(f"drawn anew: {same} that changed no answer, {unloadable} that did not load")
    print("\n".join(["survivors:", *sorted(survivors)] if survivors else ["no survivors"]))


if __name__ == "__main__":
    main()
