"""The page Remap: its sentence and the command that repeats the run under the suggested tree."""

import json
import shlex
import shutil
from dataclasses import replace
from pathlib import Path

import hopscope
import pytest
from conftest import Serve
from hopscope_dashboard.data import TraceData
from playwright.sync_api import Page, expect

DEMO = Path(__file__).parents[2] / "sample_traces" / "demo" / "trace"


def demo_on(topology: dict[str, object], folder: Path) -> Path:
    """The demo's trace as if this topology file had been given to its run."""
    shutil.copytree(DEMO, folder)
    text = json.dumps(topology)
    (folder / "topology.json").write_text(text)
    about = json.loads((folder / "run.json").read_text())
    (folder / "run.json").write_text(json.dumps(about | {"topology_file": text}))
    return folder


@pytest.mark.parametrize(("option", "key"), [("--net", "network"), ("--topology", "emulate")])
def test_the_command_gives_the_run_its_hosts_by_the_option_that_made_them(
    page: Page, serve: Serve, tmp_path: Path, option: str, key: str
) -> None:
    # It was --topology for a run on a network of namespaces, which refuses such a file.
    topology = json.loads((DEMO / "topology.json").read_text())
    topology[key] = topology.pop("emulate")
    trace = demo_on(topology, tmp_path / "a trace")
    page.goto(f"{serve(hopscope.open(trace))}/remap")
    words = shlex.split(page.locator("#content .command code").inner_text())
    assert words[:6] == ["hopscope", "run", option, str(trace / "topology.json"), "--tree", "tree.json"]


def test_a_command_in_the_sentence_is_set_as_code(
    page: Page, serve: Serve, trace: hopscope.Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Its backticks were shown as they are.
    leaning = replace(TraceData(trace).remap(), sentence="It leans on a guess: measure that with `--probe-missing`.")
    monkeypatch.setattr(TraceData, "remap", lambda _: leaning)
    page.goto(f"{serve(trace)}/remap")
    said = page.locator("#content .reason").first
    expect(said).to_have_text("It leans on a guess: measure that with --probe-missing.")
    expect(said.locator("code")).to_have_text("--probe-missing")


def test_what_limits_the_answers_has_its_commands_as_code(page: Page, serve: Serve, tmp_path: Path) -> None:
    sample = DEMO.parents[1] / "observe_only" / "trace"
    opened = hopscope.open(shutil.copytree(sample, tmp_path / "trace"))
    quoted = [word for said in TraceData(opened).caveats() for word in said.split("`")[1::2]]
    assert quoted
    page.goto(serve(opened))
    expect(page.locator("#content .remarks li code")).to_have_text(quoted)
