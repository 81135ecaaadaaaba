"""Requests that a served dashboard answers or refuses. No posted content makes it fail."""

import copy
import json
import random
import re
import socket
from collections.abc import Iterator
from typing import Any

import hopscope
import pytest
from hopscope.cli.main import execute
from hopscope.cli.main import hopscope as program
from hopscope_dashboard.app.application import create_app
from hopscope_dashboard.app.serving.hosts import names_of
from served import QUESTIONS, Served, page_question, sql_question


@pytest.fixture(scope="module")
def served(trace: hopscope.Trace) -> Iterator[Served]:
    """A dashboard on all addresses, behind a proxy. It prints nothing about requests."""
    server = Served(trace.path, "--host", "0.0.0.0", "--allow-host", "proxy.site")
    yield server
    assert server.stop() == "hopscope: anyone who can reach this address can read the trace\n"


@pytest.mark.parametrize(
    "host",
    [
        "localhost", "localhost:PORT", "LocalHost:PORT", "localhost.:PORT", "127.0.0.1:PORT", "127.0.0.1", "[::1]:PORT",
        "[0:0::1]", "[::ffff:127.0.0.1]:PORT", "localhost:9999", "localhost:", "proxy.site", "Proxy.Site.:443",
    ],
)  # fmt: skip
def test_a_name_that_it_was_started_for_is_answered(served: Served, host: str) -> None:
    # Any port is accepted, because the port may be that of a tunnel's other end.
    for path in ("/", "/_dash-layout", "/assets/hopscope.css"):
        assert served.ask("GET", path, host=host.replace("PORT", str(served.port)))[0] == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example", "evil.example:PORT", "localhost.evil.example", "127.0.0.1.evil.example", "evil.localhost",
        "127.0.0.1@evil.example", "localhost:PORT:PORT", "localhost,evil.example", "localhost, localhost", "[::1",
        "[::2]:PORT", "0.0.0.0:PORT", "10.1.2.3", "127.1", "2130706433", "proxy.site.evil.example", "xproxy.site",
        "localhost..", ".localhost", "localhost/", "localhost:http", "l\u00f6calhost", "\u00aa", "a" * 5000,
    ],
)  # fmt: skip
def test_any_other_name_is_refused_with_what_to_do(served: Served, host: str) -> None:
    name = host.replace("PORT", str(served.port))
    for path in ("/", "/_dash-layout", "/_dash-dependencies", "/assets/hopscope.css", "/nowhere"):
        status, headers, text = served.ask("GET", path, host=name, X_Forwarded_Host="localhost")
        assert status == 403, path
        assert "--allow-host" in text
        assert len(text) < 6000
        assert headers["Content-Security-Policy"]
    assert served.post(page_question("/"), host=name)[0] == 403


def test_a_request_without_a_host_or_for_another_in_its_first_line_is_refused(served: Served) -> None:
    assert served.raw(b"GET / HTTP/1.0\r\n\r\n").split()[1] == b"403"
    assert served.raw(b"GET / HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n").split()[1] == b"403"
    twice = b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\nConnection: close\r\n\r\n"
    assert served.raw(twice).split()[1] == b"403"
    absolute = b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    assert served.raw(absolute).split()[1] == b"403"
    # Headers that a client invents about a proxy have no effect.
    assert served.ask("GET", "/", X_Forwarded_Host="evil.example", Forwarded="host=evil.example")[0] == 200


def test_on_all_addresses_it_answers_to_the_machines_names_and_the_address_that_it_is_reached_at(
    served: Served,
) -> None:
    for host in (socket.gethostname(), "127.0.0.1", "localhost"):
        assert served.ask("GET", "/", host=f"{host}:{served.port}")[0] == 200
    # 127.0.0.2 is also this machine's address. Only a connection to this address may use it as the host.
    with socket.create_connection(("127.0.0.2", served.port), timeout=60) as connection:
        connection.sendall(b"GET /_dash-dependencies HTTP/1.0\r\nHost: 127.0.0.2\r\n\r\n")
        assert connection.recv(12).split()[1] == b"200"
    for host in ("127.0.0.2", "10.1.2.3", "0.0.0.0", "evil.example"):
        assert served.ask("GET", "/", host=host)[0] == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "192.0.2.7", "cluster.site"])
def test_on_one_address_it_answers_to_no_other_name_of_the_machine(host: str) -> None:
    # The server of these tests serves on all addresses, so it answers to the machine's names.
    assert socket.gethostname() in names_of("0.0.0.0")
    assert names_of(host) == {host}


def test_an_address_that_is_not_this_machines_asks_for_another_host(
    trace: hopscope.Trace, capsys: pytest.CaptureFixture[str]
) -> None:
    # Regression: the message asked for another port.
    with pytest.raises(SystemExit):
        execute(program, "hopscope", ["dashboard", str(trace.path), "--host", "203.0.113.1"])
    assert "choose another --host" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["http://proxy.site", "proxy.site/path", "*", "", "a b"])
def test_a_name_that_cannot_be_a_hosts_is_said_before_anything_is_served(
    trace: hopscope.Trace, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_info:
        execute(program, "hopscope", ["dashboard", str(trace.path), "--allow-host", name])
    assert exit_info.value.code == 2
    assert "is not a host; give a name without http://" in capsys.readouterr().err
    with pytest.raises(ValueError, match=f"^{re.escape(name)}$"):
        create_app(trace, [name])


@pytest.mark.parametrize(
    ("origin", "host", "status"),
    [
        ("http://127.0.0.1:PORT", "127.0.0.1:PORT", 200),
        ("http://localhost:9999", "localhost:9999", 200),
        # A proxy that passes on another host.
        ("https://proxy.site", "127.0.0.1:PORT", 200),
        ("https://evil.example", "127.0.0.1:PORT", 403),
        # A page of another program on this machine.
        ("http://localhost:3000", "localhost:PORT", 403),
        ("null", "127.0.0.1:PORT", 403),
        ("http://[", "127.0.0.1:PORT", 403),
    ],
)  # fmt: skip
def test_only_its_own_pages_may_post(served: Served, origin: str, host: str, status: int) -> None:
    origin, host = (text.replace("PORT", str(served.port)) for text in (origin, host))
    assert served.post(page_question("/tree"), host=host, Origin=origin)[0] == status


def test_every_answer_tells_the_browser_to_load_nothing_from_elsewhere_and_to_stay_out_of_frames(
    served: Served,
) -> None:
    for method, path in (("GET", "/"), ("GET", "/assets/nowhere"), ("POST", QUESTIONS), ("POST", "/")):
        _, headers, _ = served.ask(method, path)
        policy = dict(directive.split(" ", 1) for directive in headers["Content-Security-Policy"].split("; "))
        assert policy["default-src"] == "'self'"
        assert policy["frame-ancestors"] == "'none'"
        assert "unsafe" not in policy["script-src"]
        assert "http" not in headers["Content-Security-Policy"]
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["Referrer-Policy"] == "same-origin"


@pytest.mark.parametrize(
    "path",
    [
        "nowhere/x.js", "dash/nowhere.js", "dash/../dash.py", "dash/%2e%2e/dash.py", "dash/dash.py", "os/__init__.py",
        "plotly/package_data/../__init__.py", "plotly/package_data/plotly.v1m2.min.js.map", "dash/%ff%00.js",
        "hopscope_dashboard/palette.py", "dash//", "", "dash",
    ],
)  # fmt: skip
def test_a_component_path_that_leads_nowhere_is_not_found(served: Served, path: str) -> None:
    status, _, text = served.ask("GET", f"/_dash-component-suites/{path}")
    assert status == 404
    assert "Registered" not in text


def test_every_component_path_that_is_known_is_answered(trace: hopscope.Trace) -> None:
    app = create_app(trace)
    client = app.server.test_client()
    for package, paths in app.registered_paths.items():
        for path in sorted(paths):
            assert client.get(f"/_dash-component-suites/{package}/{path}").status_code in (200, 404), path


def changed(question: dict[str, Any], *way: str | int, entry: Any) -> dict[str, Any]:
    """A question with one value in it changed."""
    question_copy = copy.deepcopy(question)
    node: Any = question_copy
    for step in way[:-1]:
        node = node[step]
    node[way[-1]] = entry
    return question_copy


PAGE, SQL = page_question("/tree"), sql_question("select 1")
MALFORMED: list[Any] = [
    b"", b"{", b"\xff\xfe", b"{}", b"[]", b"null", b"7", b'"x"', b"[" * 100_000, b'{"output": ' * 50_000, b"NaN",
    b"9" * 9000,
    b'{"output": "\\ud800"}', json.dumps(PAGE).encode("utf-8") + b"\x00", json.dumps(PAGE).encode() + b"x",
    {}, {"output": None}, {"output": "nowhere.children"}, {"output": ["content.children"]}, {"output": {}},
    {"output": PAGE["output"]}, {"output": "address.search", "inputs": []}, {"output": "frame.navbar"},
    changed(PAGE, "inputs", entry=None), changed(PAGE, "inputs", entry={}), changed(PAGE, "inputs", entry=[]),
    changed(PAGE, "inputs", entry=[7, "x"]), changed(PAGE, "inputs", entry=PAGE["inputs"][:1]),
    changed(PAGE, "inputs", entry=[*PAGE["inputs"], PAGE["inputs"][0]]),
    changed(PAGE, "inputs", 0, "id", entry="nobody"), changed(PAGE, "inputs", 0, "id", entry={"type": "x"}),
    changed(PAGE, "inputs", 0, "property", entry="__class__"), changed(PAGE, "inputs", 0, "value", entry=7),
    changed(PAGE, "inputs", 0, "value", entry=["/tree"]),
    changed(PAGE, "inputs", 0, "value", entry={"a": {}}), changed(PAGE, "inputs", 1, "value", entry=True),
    changed(PAGE, "inputs", 1, "value", entry="?comm=\ud800"), changed(PAGE, "outputs", entry=None),
    changed(PAGE, "outputs", entry=[]), changed(PAGE, "outputs", entry={"id": "content", "property": "children"}),
    changed(PAGE, "outputs", 0, "id", entry="problem"), changed(PAGE, "outputs", 0, entry=None),
    changed(PAGE, "state", entry=[{"id": "x", "property": "y"}]), changed(PAGE, "state", entry="x"),
    changed(PAGE, "changedPropIds", entry=7), changed(PAGE, "changedPropIds", entry=["nobody.n_clicks"]),
    changed(PAGE, "changedPropIds", entry=[{}]), changed(SQL, "outputs", entry=[SQL["outputs"]]),
    changed(SQL, "inputs", 0, "value", entry=1e308),
]  # fmt: skip


@pytest.mark.parametrize("question", MALFORMED, ids=range(len(MALFORMED)))
def test_a_malformed_question_is_the_askers_fault(served: Served, question: Any) -> None:
    status, text = served.post(question)
    assert 400 <= status < 500
    assert "Traceback" not in text


def test_a_question_of_another_type_or_too_long_is_refused(served: Served) -> None:
    whole = json.dumps(PAGE).encode()
    assert served.post(whole, Content_Type="text/plain")[0] == 415
    assert served.post(whole, Content_Type="application/x-www-form-urlencoded")[0] == 415
    assert served.post(b" " * (1 << 20) + whole)[0] == 413
    assert served.ask("PUT", QUESTIONS, whole, Content_Type="application/json")[0] == 405
    # Half a body, and invalid lengths.
    for length in (b"99999", b"-5", b"x", b""):
        head = b"POST " + QUESTIONS.encode() + b" HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        head += b"Content-Type: application/json\r\nContent-Length: " + length + b"\r\n\r\n"
        assert served.raw(head + whole[:20]).split()[1][:1] in (b"4", b""), length


def test_no_change_of_a_question_makes_it_fail(served: Served) -> None:
    chance = random.Random(12)
    values: list[Any] = [
        None,
        0,
        -1,
        1e308,
        "",
        "x",
        "/tree",
        "?root=9999999999",
        [],
        {},
        [[]],
        {"id": "content"},
        True,
    ]

    def places(value: Any, way: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
        if way:
            yield way
        for key in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
            yield from places(value[key], (*way, key))

    answers: set[int] = set()
    for question in (PAGE, SQL):
        ways = list(places(question))
        for _ in range(150):
            changed_question = question
            for _ in range(chance.randint(1, 2)):
                way = chance.choice(ways)
                try:
                    changed_question = changed(changed_question, *way, entry=chance.choice(values))
                except (TypeError, KeyError, IndexError):
                    continue
            status, text = served.post(changed_question)
            assert status < 500, changed_question
            assert "Something went wrong" not in text, changed_question
            answers.add(status)
    assert answers == {200, 400}


@pytest.mark.parametrize(
    "search",
    [
        "?comm=0&seq=99999999999999999999",
        "?comm=%ff%fe",
        "?" + "a=b&" * 20_000,
        "?root=\u202e&tree=\x00",
        "?hop=" + "9" * 400,
    ],
)
@pytest.mark.parametrize(
    "path", ["/collective", "/tree", "/delayed-hops", "/\x00", "//evil.example/", "/../../etc/passwd"]
)
def test_whatever_address_a_browser_shows_there_is_a_page(served: Served, path: str, search: str) -> None:
    status, text = served.post(page_question(path, search))
    assert status == 200
    assert "Something went wrong" not in text
