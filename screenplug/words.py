"""Answers and tables in a director's words. The wording itself stands in ``vocabulary.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from .lawbook import BASE_NEXT, NO_NEXT
from .vocabulary import Decision, Vocabulary, plain, vocabulary

if TYPE_CHECKING:
    from .lawbook import Rule
    from .laws import Answer, Code, Step


def explain(answer: Answer, code: Code | None = None) -> list[str]:
    """What happened, what the law says and what is done, each sentence with its articles, and the path.

    With the code that answered, the path says of each rule when it holds and what it says.
    """
    words = vocabulary()
    decision, word = words.decisions[answer.decision], words.words
    lines = [f"{decision.title}, {word['under']} {answer.regulations}"]
    if answer.laws != answer.regulations:
        lines[0] += f" {word['on']} {answer.laws}"
    if answer.hypothetical:
        lines.append(f"({word['hypothetical']})")
    told = [words.told(decision.name, name, value) for name, value in answer.facts.items() if name in decision.facts]
    if told:
        lines.append(f"{word['facts']}: {' '.join(told)}")
    lines.append(f"{word[answer.status]}{_subject(answer, decision, word)}")
    lines += _outcome(answer)
    for side in answer.conflict:
        sentences = " ".join(_sentence(words, answer.decision, name, said) for name, said in side.outcome.items())
        choice = f" ({word['reading']} {side.step.reading})" if side.step.reading else ""
        lines.append(f"  {'; '.join(side.step.cites)}: {sentences}{choice}")
    if answer.base:
        lines += [f"{word['base']}:", *_outcome(answer.base)]
    if answer.path and code:
        lines.append(f"{word['path']}:")
        for number, step in enumerate(answer.path, 1):
            rule = code.rule(step.rule, answer.decision)
            lines.append(f"  {number}. {_step(step, word)}: {_ruled(rule, code, words)}")
    elif answer.path:
        steps = dict.fromkeys(_step(step, word) for step in answer.path)  # two rules may be of one article
        lines.append(f"{word['path']}: {' > '.join(steps)}")
    lines += [f"{word['may-change']}: {decision.facts[name].ask}" for name in answer.may_change]
    lines += [f"{word['other-reading']} --reading {choice}" for choice in answer.other_readings]
    if answer.next:
        lines.append(f"{word['next']}: {_going_on(answer.next.decision, answer.next.facts, words)}")
        after = words.decisions[answer.next.decision]
        lines += [f"  {word['still-to-ask']}: {after.facts[name].ask}" for name in answer.next.asks]
    return lines


def _going_on(decision: str, facts: Mapping[str, str | int], words: Vocabulary) -> str:
    """The decision that goes on, with the facts that it is handed."""
    return f"{words.decisions[decision].title} ({decision}{f': {_facts(facts)}' if facts else ''})"


def _facts(facts: Mapping[str, str | int]) -> str:
    return ", ".join(f"{plain(name)} {plain(str(value))}" for name, value in facts.items())


def _subject(answer: Answer, decision: Decision, word: Mapping[str, str]) -> str:
    """What follows the status: the question still open, or the fields on which the text says nothing."""
    if answer.ask:
        fact = decision.facts[answer.ask.fact]
        values = word["number"] if fact.number else ", ".join(plain(str(value)) for value in answer.ask.values)
        return f": {fact.ask} ({values})"
    if answer.status == "gap":
        silent = [plain(name) for name in decision.outcome if name not in answer.outcome]
        return f": {', '.join(silent)}"
    return ":"


def parts(answer: Answer) -> list[tuple[str, list[tuple[str, str]]]]:
    """The outcome in words: headings, each with its sentences and the articles that they rest on."""
    words = vocabulary()
    found = []
    for title, fields in words.parts:
        sentences = []
        for name in (each for each in answer.outcome if each in fields):
            cites = dict.fromkeys(article for step in answer.rests_on.get(name, ()) for article in step.cites)
            sentences.append((_sentence(words, answer.decision, name, answer.outcome[name]), "; ".join(cites)))
        if sentences:
            found.append((title, sentences))
    return found


def _outcome(answer: Answer) -> list[str]:
    """The sentences of the outcome under their headings."""
    return [
        line
        for title, sentences in parts(answer)
        for line in (f"  {title}:", *(f"    {sentence} [{cites}]" for sentence, cites in sentences))
    ]


def _sentence(words: Vocabulary, decision: str, name: str, value: str) -> str:
    return f"{plain(name)}: {words.words['nothing']}." if value == "gap" else words.sentence(decision, name, value)


def _step(step: Step, word: Mapping[str, str]) -> str:
    notes = [step.document, *([word["restated"]] if step.checked == "restated" else [])]
    notes += [f"{word['reading']} {step.reading}"] if step.reading else []
    return f"{'; '.join(step.cites)} ({', '.join(notes)})"


def _ruled(rule: Rule, code: Code, words: Vocabulary) -> str:
    """A rule in words: where it holds, and what it says."""
    word = words.words
    when = ", ".join(f"{plain(name)} {_either(_numbers(tests, code), word)}" for name, tests in rule.when.items())
    if rule.as_if:
        then = f"{word['as-if']} {_facts(rule.as_if)}."
    elif rule.whole:
        then = word["as-above"] if rule.whole == "base" else word["as-gap"]
    else:
        said = [words.sentence(rule.decides, *each) for each in rule.then.items() if each[1] not in ("base", "gap")]
        for kind, text in (("base", word["as-base"]), ("gap", word["silent"])):
            if fields := [plain(name) for name, value in rule.then.items() if value == kind]:
                said.append(f"{', '.join(fields)}: {text}.")
        then = " ".join(said)
    if rule.next == BASE_NEXT:
        then += f" {word['next']}: {word['as-base']}."
    elif rule.next == NO_NEXT:
        then += f" {word['no-next']}."
    elif rule.next:
        then += f" {word['next']}: {_going_on(rule.next, dict(rule.hand_over), words)}."
    return f"{word['where']} {when}: {then}" if when else then


def _numbers(tests: Sequence[str | int], code: Code) -> list[str]:
    """Comparisons with the numbers that stand behind the names of values."""
    return [
        f"{test} ({code.values[last]})" if (last := str(test).split(" ")[-1]) in code.values else str(test)
        for test in tests
    ]


def show(code: Code, decision: str | None = None) -> dict[str, Any]:
    """The document's rules (of one decision, if named), values and procedures with their articles, for JSON.

    With a decision also the words of which its rules are made.
    """
    cited = [each for each in code.cited_values if not decision]
    named = vocabulary().decisions[decision] if decision else None
    return {
        "format": 1,
        "document": code.regulations,
        "laws": code.laws,
        "revision": code.revision,
        "values": [{"id": each.id, "is": each.value, **_source(each)} for each in cited],
        "procedures": [{"id": each.id, "says": each.says, **_source(each)} for each in code.procedures if not decision],
        "rules": [_rule(code, rule) for rule in code.own_rules if decision in (None, rule.decides)],
        "readings": {key: list(choices) for key, choices in code.readings.items()},
        "facts": {name: list(fact.values) for name, fact in named.facts.items()} if named else {},
        "derived": {name: list(each.values) for name, each in named.derived.items()} if named else {},
        "outcome": {name: list(each) for name, each in named.outcome.items()} if named else {},
    }


def _source(entry: Any) -> dict[str, Any]:
    cites = {"cites": "; ".join(entry.cites), "checked": entry.checked}
    return {**cites, "statements": list(entry.statements)}


def _rule(code: Code, rule: Rule) -> dict[str, Any]:
    when = {name: list(values) for name, values in rule.when.items()}
    then: Any = rule.whole or ({"as-if": dict(rule.as_if)} if rule.as_if else dict(rule.then))
    row = {"rule": code.shown(rule), "decides": rule.decides, "when": when, "then": then, **_source(rule)}
    if rule.exceptions:
        row["except"] = list(rule.exceptions)
    if rule.next:
        row["next"] = rule.next
    if rule.hand_over:
        row["hand_over"] = dict(rule.hand_over)
    if rule.reading:
        row["reading"] = f"{rule.reading}={rule.word}"
    if rule.usual:
        row["usual"] = rule.usual
    return row


def show_lines(shown: Mapping[str, Any]) -> list[str]:
    """``show`` for people: one line to a value, procedure or rule, with its article."""
    word = vocabulary().words
    on = f" {word['on']} {shown['laws']}" if shown["laws"] != shown["document"] else ""
    lines = [f"{shown['document']} {shown['revision']}{on}"]
    lines += [f"  {each['id']} = {each['is']}  [{_article(each, word)}]" for each in shown["values"]]
    lines += [f"  {each['says']}  [{_article(each, word)}]" for each in shown["procedures"]]
    for decision in dict.fromkeys(each["decides"] for each in shown["rules"]):
        lines.append(f"{vocabulary().decisions[decision].title} ({decision})")
        for each in shown["rules"]:
            if each["decides"] == decision:
                when = ", ".join(f"{plain(name)} {_either(values, word)}" for name, values in each["when"].items())
                then = _then(each["then"], word)
                if "next" in each:
                    handed = f" ({_facts(each['hand_over'])})" if "hand_over" in each else ""
                    then += f"; next = {each['next']}{handed}"
                lines.append(f"  {each['rule']}: {when or word['always']} -> {then}  [{_article(each, word)}]")
    for title, rows, free in (("when-words", shown["facts"] | shown["derived"], "number"),
                              ("then-words", shown["outcome"], "article")):  # fmt: skip
        if rows:
            lines.append(f"{word[title]}:")
            lines += [f"  {name} = {' | '.join(values) or word[free]}" for name, values in rows.items()]
    return lines


def _article(each: Mapping[str, Any], word: Mapping[str, str]) -> str:
    notes = [word["restated"]] if each["checked"] == "restated" else []
    notes += [f"{word['reading']} {each['reading']}"] if "reading" in each else []
    return ", ".join([each["cites"], *notes])


def _either(values: Sequence[Any], word: Mapping[str, str]) -> str:
    return f" {word['or']} ".join(plain(str(value)) for value in values)


def _then(then: Any, word: Mapping[str, str]) -> str:
    if isinstance(then, str):
        return word["as-base"] if then == "base" else word["gap"]
    return f"{word['as-if']} {_facts(then['as-if'])}" if "as-if" in then else _facts(then)
