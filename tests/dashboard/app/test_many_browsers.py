"""Many browsers at once on a server that has just started: no answer uses a module that is still being imported."""

import json
import subprocess
import sys
import threading
from collections import Counter
from pathlib import Path

import hopscope
import pytest
from hopscope_dashboard.pages import PAGES
from served import Served, page_question, sql_question

CLIENTS = 20

DRAW_EVERYTHING = """
import sys
import hopscope
from hopscope_dashboard.app.application import create_app
from served import page_question, sql_question

app = create_app(hopscope.open(sys.argv[1]))
client = app.server.test_client()
before = set(sys.modules)
for question in ({path_questions}, sql_question("select 1")):
    text = "is being computed"
    while "is being computed" in text:
        answer = client.post("/_dash-update-component", json=question)
        text = answer.get_data(as_text=True)
    assert answer.status_code == 200 and "went wrong" not in text, question
print(sorted(set(sys.modules) - before))
"""


@pytest.mark.large
def test_twenty_browsers_that_come_at_once_get_every_page_whole(trace: hopscope.Trace) -> None:
    # Regression: 15 to 25 of 220 answers were "This page could not be drawn": partially initialized module 'pandas'.
    server = Served(trace.path)
    paths = [page.path for page in PAGES]
    barrier = threading.Barrier(CLIENTS)
    answers: Counter[str] = Counter()

    def browse(number: int) -> None:
        barrier.wait()
        for path in ("/", "/_dash-layout", "/_dash-dependencies"):
            status, _, text = server.ask("GET", path)
            answers["whole" if status == 200 and text else f"{status} {path}"] += 1
        for step in range(len(paths)):
            path = paths[(number + step) % len(paths)]
            answers[_kind(server.post(page_question(path)))] += 1
        answers[_kind(server.post(sql_question("select 1")))] += 1

    browsers = [threading.Thread(target=browse, args=(number,)) for number in range(CLIENTS)]
    for browser in browsers:
        browser.start()
    for browser in browsers:
        browser.join()
    stderr = server.stop()
    assert (answers, stderr) == (Counter({"whole": CLIENTS * (len(paths) + 4)}), "")


def _kind(answer: tuple[int, str]) -> str:
    status, text = answer
    return "whole" if status == 200 and json.loads(text)["response"] and "went wrong" not in text else text[-300:]


def test_nothing_is_loaded_any_more_once_the_application_is_made(trace: hopscope.Trace) -> None:
    questions = ", ".join(f"page_question({page.path!r})" for page in PAGES)
    # Modules that Flask's own test client needs are not the dashboard's.
    script = "import flask.testing, click.testing\n" + DRAW_EVERYTHING.replace("{path_questions}", questions)
    folder = Path(__file__).parents[1]
    process = subprocess.run(
        [sys.executable, "-c", script, str(trace.path)], capture_output=True, text=True, check=False, cwd=folder
    )
    assert (process.stdout, process.returncode) == ("[]\n", 0), process.stderr
