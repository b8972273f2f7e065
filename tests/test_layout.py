"""The shape of the house: who may import what, and that the README tells the truth about the hooks."""

from __future__ import annotations

import ast
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from screenplug import hookspecs

ROOT = Path(__file__).parents[1]
OUTER = {"__init__", "__main__", "asking", "batch", "cli", "hookspecs", "host", "questions"}
PURE = sorted({path.stem for path in ROOT.glob("screenplug/*.py")} - OUTER)
SOURCES = sorted([*ROOT.glob("screenplug/*.py"), *ROOT.glob("hooks/screenplug_hooks/*.py")])
HOOKS = {
    name: inspect.signature(function)
    for name, function in vars(hookspecs).items()
    if hasattr(function, "screenplug_spec")
}


def imports(source: Path) -> Iterator[str]:
    """Every module that the file imports, wherever in it, ``screenplug.`` for its own package."""
    for node in ast.walk(ast.parse(source.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom):
            home = ".".join([*["screenplug"][: node.level], *([node.module] if node.module else [])])
            yield from (f"{home}.{name.name}" for name in node.names) if home == "screenplug" else [home]


def who_imports(package: str) -> set[str]:
    return {source.name for source in SOURCES if any(name.split(".")[0] == package for name in imports(source))}


def test_only_the_host_and_the_hooks_know_pluggy() -> None:
    assert who_imports("pluggy") == {"host.py", "hookspecs.py"}


def test_only_commands_know_click() -> None:
    # The hook that adds commands names the type of its argument, for readers and type checkers only.
    assert who_imports("click") - {"hookspecs.py"} == {
        *("asking.py", "calculator.py", "cli.py", "law_commands.py", "questions.py"),
    }


@pytest.mark.parametrize("name", PURE)
def test_the_core_needs_nothing_but_python_and_itself(name: str) -> None:
    for imported in imports(ROOT / "screenplug" / f"{name}.py"):
        package, _, rest = imported.partition(".")
        assert package in sys.stdlib_module_names or (package == "screenplug" and rest.split(".")[0] in PURE), imported


@pytest.mark.parametrize("source", [*SOURCES, *sorted(ROOT.glob("tests/**/*.py"))], ids=lambda path: path.name)
def test_nothing_imports_the_folder_of_the_built_ins(source: Path) -> None:
    assert not [name for name in imports(source) if name.split(".")[0] == "hooks"]


def test_each_hook_says_who_calls_it_and_what_none_means() -> None:
    assert len(HOOKS) == 7
    for name in HOOKS:
        text = inspect.getdoc(getattr(hookspecs, name)) or ""
        assert re.search(r"\b[Cc]alled\b|\bcall of\b", text), name
        assert re.search(r"\bNone\b|What it returns is not\s+looked at", text), name


def test_the_readme_lists_the_hooks_as_they_are() -> None:
    readme = ROOT / "README.md"
    assert readme.is_file(), "README.md with the table of hooks is missing"
    rows = re.findall(r"^\| `(screenplug_\w+)\(([^)]*)\)", readme.read_text(encoding="utf-8"), re.MULTILINE)
    assert rows, "README.md has no table of hooks: rows that begin with | `screenplug_name(argument, ...)`"
    table = {name: [word.split(":")[0].strip() for word in words.split(",") if word.strip()] for name, words in rows}
    assert table == {name: list(signature.parameters) for name, signature in HOOKS.items()}
    assert len(rows) == len(table)
