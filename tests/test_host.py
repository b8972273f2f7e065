"""Plugins that work, plugins that fail, plugins that clash, and a host program with a manager of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import click
import pluggy
import pytest

import screenplug
from screenplug import hookspecs, host, policy
from screenplug.model import Ground, Refused, Ruling, Score

EXAMPLE = '''
from pathlib import Path
from types import SimpleNamespace
import click
from screenplug import hookimpl

@hookimpl
def screenplug_documents():
    yield Path(__file__).with_name("club.toml")

@hookimpl
def screenplug_methods():
    return [SimpleNamespace(name="Bastille", words=("Bastille", "BastillePoints"))]

@hookimpl
def screenplug_commands(cli):
    @cli.command()
    def hello():
        """Greet the directors."""
        click.echo("hello from the club")
'''
CLUB = """
kind = "laws"
id = "club"
title = "A club's screens"
revision = 2026-01-01
source = "the notice board"
stands-on = ["laws-2017"]

[[rule]]
id = "1"
decides = "tempo"
when = { pace = "slow" }
then = "base"
cites = ["Club 1"]
checked = "text"
"""


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCREENPLUG_STRICT", raising=False)
    monkeypatch.delenv("SCREENPLUG_PLUGINS", raising=False)


class Site:
    """A folder on the import path into which distributions are installed, outside the package."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def install(self, name: str, source: str, version: str = "1.2", files: dict[str, str] | None = None) -> None:
        module = f"distribution_{name}"
        (self.folder / f"{module}.py").write_text(source, encoding="utf-8")
        for file, text in (files or {}).items():
            (self.folder / file).write_text(text, encoding="utf-8")
        info = self.folder / f"screenplug_{name}-{version}.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: screenplug-{name}\nVersion: {version}\n")
        (info / "entry_points.txt").write_text(f"[screenplug]\n{name} = {module}\n")


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    yield Site(folder)
    for name in [name for name in sys.modules if name.startswith("distribution_")]:
        del sys.modules[name]


def listed(pm: pluggy.PluginManager, name: str) -> dict[str, Any]:
    return next(plugin for plugin in host.describe(pm) if plugin["name"] == name)


def module(source: str) -> ModuleType:
    made = ModuleType("made_here")
    exec(source, made.__dict__)
    return made


def test_every_manager_is_a_new_one() -> None:
    assert screenplug.plugin_manager() is not screenplug.plugin_manager()


def test_the_built_ins_are_loaded_first_and_offer_the_documents() -> None:
    pm = screenplug.plugin_manager()
    assert [plugin["name"] for plugin in host.describe(pm)][:2] == ["screenplug", "screenplug_hooks.documents"]
    assert "laws-2017.toml" in {file for _, file, _ in host.documents(pm)}
    assert all(plugin["failure"] is None for plugin in host.describe(pm))


def test_an_installed_plugin_adds_a_document_a_method_and_a_command(site: Site) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    cli = click.Group("screenplug")
    pm = host.plugin_manager(cli)
    assert ("club", "club.toml", CLUB.encode()) in host.documents(pm)
    assert "Bastille" in {method.name for method in host.methods(pm)}
    assert cli.commands["hello"].help == "Greet the directors."
    assert listed(pm, "club") == {
        "name": "club",
        "source": "screenplug-club",
        "version": "1.2",
        "hooks": ["screenplug_commands", "screenplug_documents", "screenplug_methods"],
        "failure": None,
    }


@pytest.mark.parametrize(
    ("source", "why"),
    [
        ("import no_such_thing_at_all", "ModuleNotFoundError: No module named 'no_such_thing_at_all'"),
        ("def broken(:", "SyntaxError"),
        ("raise ImportError('licence expired')", "ImportError: licence expired"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        (
            "from screenplug import hookimpl\n@hookimpl\ndef screenplug_document(): pass",
            "there is no hook screenplug_document. Did you mean screenplug_documents?",
        ),
        (
            "from screenplug import hookimpl\n@hookimpl\ndef screenplug_methods(colour): pass",
            "Argument(s) {'colour'} are declared in the hookimpl but can not be found in the hookspec",
        ),
        (
            "from screenplug import hookimpl\n@hookimpl\ndef screenplug_commands(cli): cli.no_such_thing()",
            "AttributeError: 'Group' object has no attribute 'no_such_thing'",
        ),
    ],
)
def test_a_broken_plugin_is_listed_and_the_others_work(site: Site, source: str, why: str) -> None:
    site.install("broken", source)
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    cli = click.Group("screenplug")
    pm = host.plugin_manager(cli)
    assert why in listed(pm, "broken")["failure"]
    assert listed(pm, "broken")["hooks"] == []
    assert "club" in {plugin for plugin, _, _ in host.documents(pm)}
    assert list(cli.commands) == ["calc", "laws", "hello"]


def test_a_broken_plugin_is_fatal_when_strict(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("broken", "import no_such_thing_at_all")
    monkeypatch.setenv("SCREENPLUG_STRICT", "1")
    with pytest.raises(Refused, match="plugin broken: ModuleNotFoundError: No module named 'no_such_thing_at_all'"):
        host.plugin_manager()


FAILS_WHEN_ASKED = """
from screenplug import hookimpl

@hookimpl
def screenplug_documents():
    yield None

@hookimpl
def screenplug_methods():
    1 / 0

@hookimpl
def screenplug_ruled(game):
    raise OSError("the display is off")
"""


def test_a_plugin_that_fails_when_asked_does_not_take_the_others_along(site: Site) -> None:
    site.install("asked", FAILS_WHEN_ASKED)
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    pm = host.plugin_manager()
    assert "Bastille" in {method.name for method in host.methods(pm)}
    assert "club" in {plugin for plugin, _, _ in host.documents(pm)}
    assert "screenplug_methods: ZeroDivisionError: division by zero" in listed(pm, "asked")["failure"]
    assert "screenplug_documents: AttributeError" in listed(pm, "asked")["failure"]


def test_a_plugin_that_fails_when_asked_is_fatal_when_strict(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("asked", FAILS_WHEN_ASKED)
    monkeypatch.setenv("SCREENPLUG_STRICT", "1")
    pm = host.plugin_manager()
    with pytest.raises(Refused, match="plugin asked: screenplug_methods: ZeroDivisionError"):
        host.methods(pm)


def test_everybody_who_follows_along_is_told_though_one_of_them_fails(site: Site) -> None:
    site.install("asked", FAILS_WHEN_ASKED)
    told: list[Any] = []
    pm = host.plugin_manager()
    follower = module("from screenplug import hookimpl\n@hookimpl\ndef screenplug_ruled(ruling): told.append(ruling)")
    follower.__dict__["told"] = told
    pm.register(follower, "follower")
    host.ruled(pm, game=None, ruling="A-9", result=None)  # type: ignore[arg-type]
    assert told == ["A-9"]
    assert "screenplug_ruled: OSError: the display is off" in listed(pm, "asked")["failure"]


def test_the_user_chooses_which_installed_plugins_are_loaded(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    site.install("broken", "import no_such_thing_at_all")
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "")
    assert {plugin["source"] for plugin in host.describe(host.plugin_manager())} == {"built-in"}
    monkeypatch.setenv("SCREENPLUG_PLUGINS", "club, regional")
    pm = host.plugin_manager()
    assert "broken" not in {plugin["name"] for plugin in host.describe(pm)}
    assert listed(pm, "club")["failure"] is None
    assert listed(pm, "regional")["failure"] == "no installed plugin has this name"


def test_a_plugin_file_is_loaded_once_and_adds_its_command_late(tmp_path: Path) -> None:
    (tmp_path / "club.toml").write_text(CLUB)
    (tmp_path / "mine.py").write_text(EXAMPLE)
    cli = click.Group("screenplug")
    pm = host.plugin_manager(cli)
    host.load_file(pm, tmp_path / "mine.py")
    host.load_file(pm, str(tmp_path / "mine.py"))
    assert list(cli.commands) == ["calc", "laws", "hello"]
    assert listed(pm, str(tmp_path / "mine.py"))["source"] == "--plugin"
    assert "club.toml" in {file for _, file, _ in host.documents(pm)}


@pytest.mark.parametrize(
    ("name", "source", "why"),
    [
        ("missing.py", None, "there is no such file"),
        ("notes.txt", "1", "is not a Python file. Its name must end in .py"),
        ("broken.py", "raise ImportError('no')", "ImportError: no"),
        ("plain.py", "def screenplug_methods(): pass", "has no hook in it. Mark its functions"),
        (
            "typo.py",
            "from screenplug import hookimpl\n@hookimpl\ndef screenplug_reprots(): pass",
            "there is no hook screenplug_reprots. Did you mean screenplug_reports?",
        ),
    ],
)
def test_a_plugin_file_that_cannot_be_loaded_is_refused(
    tmp_path: Path, name: str, source: str | None, why: str
) -> None:
    if source is not None:
        (tmp_path / name).write_text(source)
    pm = host.plugin_manager()
    before = host.describe(pm)
    with pytest.raises(Refused) as refusal:
        host.load_file(pm, tmp_path / name)
    assert why in str(refusal.value)
    assert str(tmp_path / name) in str(refusal.value)
    assert host.describe(pm) == before


def documents_plugin(*files: str) -> str:
    return f"""
from pathlib import Path
from screenplug import hookimpl

@hookimpl
def screenplug_documents():
    return [Path(__file__).with_name(file) for file in {files}]
"""


def test_a_document_that_two_plugins_bring_is_refused_naming_both(site: Site) -> None:
    site.install("ash", documents_plugin("ash.toml"), files={"ash.toml": CLUB})
    site.install("birch", documents_plugin("birch.toml"), files={"birch.toml": CLUB.replace("rule", "value")})
    pm = host.plugin_manager()
    why = "document laws club 2026-01-01 is offered by ash and by birch"
    with pytest.raises(Refused, match=why):
        host.documents(pm)
    assert why in listed(pm, "birch")["failure"]
    assert "SCREENPLUG_PLUGINS" in listed(pm, "birch")["failure"]


def test_a_document_that_does_not_load_is_listed_and_the_others_are_there(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    site.install("ash", documents_plugin("ash.toml"), files={"ash.toml": CLUB.replace("club", "ash")})
    site.install("broken", documents_plugin("broken.toml"), files={"broken.toml": CLUB.replace("pace", "pase")})
    site.install("syntax", documents_plugin("syntax.toml"), files={"syntax.toml": 'kind = "laws'})
    pm = host.plugin_manager()
    assert {"ash", "wbf"} <= set(host.tables(pm).lawbook.ids)
    assert "did you mean pace?" in listed(pm, "broken")["failure"]
    assert "syntax.toml" in listed(pm, "syntax")["failure"]
    assert listed(pm, "ash")["failure"] is None
    monkeypatch.setenv("SCREENPLUG_STRICT", "1")
    with pytest.raises(Refused, match=r"broken\.toml"):
        host.tables(host.plugin_manager())


MALFORMED = {
    "a policy whose values are a number": ('kind = "policy"\nid = "bad"\nvalue = 5\n', "screenplug_documents: "),
    "a law whose title is a number too long to be shown": (
        CLUB.replace('"club"', '"bad"').replace('"A club\'s screens"', "0x" + "F" * 5000),
        "screenplug_documents: ",
    ),
    "a law whose id is a number too long to be shown": (
        CLUB.replace('"club"', "0x" + "F" * 5000),
        "screenplug_documents: ",
    ),
    "brackets without end": ('kind = "laws"\nid = ' + "[" * 50_000, "screenplug_documents: RecursionError"),
}


@pytest.mark.parametrize("malformed", MALFORMED)
def test_a_malformed_document_is_left_out_whatever_reading_it_raises(site: Site, malformed: str) -> None:
    document, why = MALFORMED[malformed]
    site.install("bad", documents_plugin("bad.toml"), files={"bad.toml": document})
    site.install("club", documents_plugin("club.toml"), files={"club.toml": CLUB})
    pm = host.plugin_manager()
    tables = host.tables(pm)
    assert {"club", "wbf"} <= set(tables.lawbook.ids) and {"wbf", "ebu"} <= set(tables.policies)
    assert "bad" not in {*tables.lawbook.ids, *tables.policies}
    assert why in listed(pm, "bad")["failure"] and listed(pm, "club")["failure"] is None
    assert "bad 1.2: failed: screenplug_documents: " in run(site, "plugins")
    assert "club" in run(site, "laws", "list")


def test_a_failure_in_reading_of_any_kind_is_put_down_to_its_plugin(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_policy(name: str, data: bytes) -> policy.Policy:
        if name.startswith("bad: "):
            raise AttributeError("no such thing")
        return original(name, data)

    original = policy.read_policy
    monkeypatch.setattr(policy, "read_policy", read_policy)
    site.install("bad", documents_plugin("bad.toml"), files={"bad.toml": 'kind = "policy"\nid = "bad"\n'})
    pm = host.plugin_manager()
    assert "wbf" in host.tables(pm).policies
    assert listed(pm, "bad")["failure"] == "screenplug_documents: AttributeError: no such thing"
    monkeypatch.setenv("SCREENPLUG_STRICT", "1")
    with pytest.raises(Refused, match="plugin bad: screenplug_documents: AttributeError: no such thing"):
        host.tables(host.plugin_manager())


def test_a_document_that_is_not_bytes_is_a_failure_of_its_plugin(site: Site) -> None:
    site.install(
        "bad",
        """
from types import SimpleNamespace
from screenplug import hookimpl
@hookimpl
def screenplug_documents():
    return [SimpleNamespace(name="bad.toml", read_bytes=lambda: "text")]
""",
    )
    pm = host.plugin_manager()
    assert "wbf" in host.tables(pm).lawbook.ids
    assert "screenplug_documents: TypeError" in listed(pm, "bad")["failure"]


def test_two_editions_of_a_document_live_side_by_side(site: Site) -> None:
    later = CLUB.replace("2026", "2027")
    site.install("club", documents_plugin("old.toml", "new.toml"), files={"old.toml": CLUB, "new.toml": later})
    assert {data for plugin, _, data in host.documents(host.plugin_manager()) if plugin == "club"} == {
        CLUB.encode(),
        later.encode(),
    }


def methods_plugin(name: str, *words: str) -> str:
    return f"""
from types import SimpleNamespace
from screenplug import hookimpl

@hookimpl
def screenplug_methods():
    yield SimpleNamespace(name={name!r}, words={words})
"""


def test_a_scoring_method_that_two_plugins_offer_is_refused_naming_both(site: Site) -> None:
    site.install("ash", methods_plugin("Bastille", "Bastille"))
    site.install("birch", methods_plugin("Bastille", "BastillePoints"))
    with pytest.raises(Refused, match="scoring method Bastille is offered by ash and by birch"):
        host.methods(host.plugin_manager())


def test_a_scoring_word_that_two_plugins_claim_is_refused_naming_both(site: Site) -> None:
    site.install("ash", methods_plugin("Bastille", "Bastille", "Ash"))
    site.install("birch", methods_plugin("Birch's Bastille", "BASTILLE", "Birch"))
    with pytest.raises(Refused, match="scoring word bastille is offered by ash and by birch"):
        host.methods(host.plugin_manager())


def test_two_plugins_may_both_refine_a_method_that_is_there(site: Site) -> None:
    site.install("ash", methods_plugin("Experts", "IMP", "Experts"))
    site.install("birch", methods_plugin("Ascherman", "IMP", "Ascherman"))
    assert {"Experts", "Ascherman", "IMP", "MP"} <= {method.name for method in host.methods(host.plugin_manager())}


@pytest.mark.parametrize("hook", ["hosts", "reports"])
def test_scoring_programs_and_papers_have_unique_names(site: Site, hook: str) -> None:
    source = f"""
from types import SimpleNamespace
from screenplug import hookimpl
@hookimpl
def screenplug_{hook}():
    yield SimpleNamespace(name="Tally")
"""
    site.install("ash", source)
    assert set(getattr(host, hook)(host.plugin_manager())) >= {"Tally"}
    site.install("birch", source)
    with pytest.raises(Refused, match="Tally is offered by ash and by birch"):
        getattr(host, hook)(host.plugin_manager())


def test_a_plugin_cannot_take_the_command_of_another(site: Site) -> None:
    for name in ("ash", "birch"):
        site.install(name, EXAMPLE, files={"club.toml": CLUB})
    site.install("check", EXAMPLE.replace("hello", "check"))
    cli = click.Group("screenplug", commands={"check": (ours := click.Command("check"))})
    pm = host.plugin_manager(cli)
    assert listed(pm, "birch")["failure"] == "screenplug_commands: hello is a command of ash already"
    assert listed(pm, "check")["failure"] == "screenplug_commands: check is a command of screenplug already"
    assert cli.commands["check"] is ours


def test_a_new_manager_starts_with_the_group_as_it_was(site: Site) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    cli = click.Group("screenplug")
    host.plugin_manager(cli)
    assert listed(host.plugin_manager(cli), "club")["failure"] is None


def test_two_plugins_of_one_name_are_both_listed(site: Site) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    info = site.folder / "other-3.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: other\nVersion: 3\n")
    (info / "entry_points.txt").write_text("[screenplug]\nclub = distribution_club\nagain = distribution_club\n")
    pm = host.plugin_manager()
    failures = [plugin["failure"] for plugin in host.describe(pm) if plugin["failure"]]
    assert "is loaded already, as again" in failures
    assert "the name club is taken by the plugin of other" in failures


def test_a_plugin_may_take_the_export_over(site: Site) -> None:
    site.install(
        "taker",
        "from screenplug import hookimpl\n@hookimpl\ndef screenplug_exported(pbn, rulings): return pbn + b'taken'",
    )
    assert host.plugin_manager().hook.screenplug_exported(pbn=b"boards ", rulings=()) == b"boards taken"


class Tally:
    """A host program with hooks and a manager of its own, under a project name of its own."""

    hookimpl = pluggy.HookimplMarker("tally")

    def __init__(self) -> None:
        self.pm = pluggy.PluginManager("tally")
        self.pm.register(self, "tally itself")
        host.register(self.pm)
        self.followed: list[str] = []

    @hookimpl
    def screenplug_ruled(self, ruling: Ruling) -> None:
        self.followed.append(ruling.id)


def test_a_host_program_has_screenplug_on_its_own_manager(site: Site) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    program = Tally()
    assert "club" in {plugin for plugin, _, _ in host.documents(program.pm)}
    assert "laws-2017.toml" in {file for _, file, _ in host.documents(program.pm)}
    assert "tally itself" not in {plugin["name"] for plugin in host.describe(program.pm)}


def test_a_host_program_may_have_added_the_hooks_itself() -> None:
    pm = pluggy.PluginManager("screenplug")
    pm.add_hookspecs(hookspecs)
    host.register(pm)
    pm.check_pending()
    assert host.documents(pm)


BOARD = (
    b'[Board "1"]\r\n[Dealer "N"]\r\n[Vulnerable "None"]\r\n[Declarer "S"]\r\n'
    b'[Contract "4S"]\r\n[Result "10"]\r\n[Scoring "MP"]\r\n'
)


RULING = Ruling(
    "A-9", where=({"board": "1"},), regulations="wbf", score=Score.parse("4S S -1"), grounds=(Ground(laws=("73F",)),)
)


def test_a_host_program_exports_its_boards_through_its_own_manager() -> None:
    program = Tally()
    exported = program.pm.hook.screenplug_exported(pbn=BOARD, rulings=(RULING,))
    assert b'\r\n[RulingTable "' in exported
    assert b'"4S S -1"\r\n' in exported
    assert screenplug.strip(exported) == BOARD
    assert program.followed == ["A-9"]


def test_an_export_without_rulings_is_the_file_itself() -> None:
    assert Tally().pm.hook.screenplug_exported(pbn=BOARD, rulings=()) == BOARD


def test_the_public_functions_do_the_whole_round() -> None:
    annotated, problems = screenplug.annotate(BOARD, [RULING])
    assert problems == ()
    found, _ = screenplug.records(annotated)
    assert [(game.value("Board"), record.ruling, record.score) for game, record in found] == [
        ("1", "A-9", RULING.score)
    ]
    assert screenplug.score(annotated)["games"][0]["results"][0]["score_ns"] == "-50"
    assert screenplug.score(BOARD)["games"][0]["results"][0]["score_ns"] == "420"
    assert screenplug.strip(annotated) == BOARD


def test_the_public_functions_decide_by_article() -> None:
    facts = {"kind": "insufficient-bid", "offender": "E", "tray": "passed", "moved-by": "N"}
    facts |= {"noticed-on": "other-side", "lho-called": "no"}
    answer = screenplug.decide("auction-irregularity", facts, regulations="pzbs")
    assert answer.status == "decided"
    assert answer.outcome["class"] == "both-sides-at-fault"


def run(site: Site, *arguments: str) -> str:
    """The command line in a process of its own, with what is installed on the site."""
    root = Path(__file__).parents[1]
    path = os.pathsep.join(str(folder) for folder in (site.folder, root, root / "hooks"))
    command = [sys.executable, "-m", "screenplug", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"PYTHONPATH": path})
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_user_runs_the_command_of_an_installed_plugin_beside_a_broken_one(site: Site) -> None:
    site.install("club", EXAMPLE, files={"club.toml": CLUB})
    site.install("broken", "raise ImportError('licence expired')")
    assert run(site, "hello").strip() == "hello from the club"
    assert "licence expired" in run(site, "plugins")
    assert "hello" in run(site, "--help")


def test_a_user_runs_the_command_of_a_plugin_file(site: Site, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(EXAMPLE)
    assert run(site, "--plugin", str(tmp_path / "mine.py"), "hello").strip() == "hello from the club"
    assert "Greet the directors." in run(site, "--plugin", str(tmp_path / "mine.py"), "--help")


def test_importing_screenplug_costs_neither_click_nor_pluggy() -> None:
    code = "import sys, screenplug; print(sorted({'click', 'pluggy'} & set(sys.modules)))"
    root = Path(__file__).parents[1]
    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root)
    assert answer.stdout.strip() == "[]"


@pytest.mark.parametrize("head", ['\ufeffkind = "policy"', "kind = 'policy'", '"kind" = "policy"', '  kind = "policy"'])
def test_a_policy_of_the_users_own_is_known_however_its_kind_is_written(tmp_path: Path, head: str) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(f'{head}\nid = "mine"\ntitle = "Ours"\nsource = "the club"\n', "utf-8")
    pm = host.plugin_manager()
    host.load_document(pm, own)
    assert "mine" in host.tables(pm).policies
