"""Facts and the answers that the texts give, and whether some tables give them."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from screenplug import laws
from screenplug.model import Refused

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "hooks" / "screenplug_hooks" / "laws"
CASES: list[dict[str, Any]] = [
    case
    for path in sorted((ROOT / "fixtures" / "laws").glob("cases*.toml"))
    for case in tomllib.loads(path.read_text(encoding="utf-8"))["case"]
]


def expectations() -> Iterator[tuple[dict[str, Any], str, dict[str, Any]]]:
    """Every case with each document that has an answer to it."""
    for case in CASES:
        yield from ((case, document, expected) for document, expected in case["expect"].items())


def wrong(library: laws.Library, case: dict[str, Any], document: str, expected: dict[str, Any]) -> str:
    """What the document says otherwise than its text does; empty when all is well."""
    edition = case.get("laws") if library.documents[document].stands_on else None
    readings = {key: word for key, word in case.get("readings", {}).items() if key.startswith(f"{document}/")}
    try:
        answer = library.code(document, edition).decide(case["decision"], case["facts"], readings)
    except Refused as refused:
        return str(refused)
    if answer.status not in _one_of(expected["status"]):
        return f"status {answer.status}: {answer.to_json()}"
    if "ask" in expected and (answer.ask is None or answer.ask.fact != expected["ask"]):
        return f"ask {answer.ask}"
    for name, word in expected.items():
        if name not in ("status", "cites", "ask") and answer.outcome.get(name) not in _one_of(word):
            return f"{name} {answer.outcome.get(name)}: {answer.to_json()}"
    cited = Counter(article for step in answer.path for each in step.cites for article in each.split("; "))
    for articles in _one_of(expected.get("cites", [])):
        # several in one string are held by the path together; one named twice is the article of two steps
        if Counter(articles.split("; ")) - cited:
            return f"cites {'; '.join(cited.elements())}, not {articles}"
    return ""


def _one_of(expected: Any) -> list[Any]:
    return expected if isinstance(expected, list) else [expected]
