"""The dashboard as its command serves it: another process that answers HTTP requests."""

import http.client
import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any
from uuid import uuid4

QUESTIONS = "/_dash-update-component"


class Served:
    """A running `hopscope dashboard`."""

    def __init__(self, trace: Path, *options: str) -> None:
        command = [Path(sys.executable).parent / "hopscope", "dashboard", trace, "--port", "0", *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        stderr = self._process.stderr
        first = stderr.readline()
        address = re.search(r"http://(\S+):(\d+)/", first)
        assert address, first + stderr.read()
        self.port = int(address[2])
        self.stderr_lines: list[str] = []
        self._listener = threading.Thread(target=lambda: self.stderr_lines.extend(stderr), daemon=True)
        self._listener.start()

    def ask(
        self, method: str, path: str, body: bytes | None = None, *, host: str | None = None, **headers: str
    ) -> tuple[int, http.client.HTTPMessage, str]:
        """Sends a request. Returns status, headers and text of the answer. headers: the request's headers, with `_` in
        place of each `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        http_headers = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {"Host": host or f"127.0.0.1:{self.port}", **http_headers})
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        return answer.status, answer.headers, text

    def post(self, question: Any, **headers: str) -> tuple[int, str]:
        """Status and text of the answer to a question, given as bytes or as an object for JSON. Asks again until a slow
        page is there."""
        body = question if isinstance(question, bytes) else json.dumps(question).encode()
        while True:
            status, _, text = self.ask("POST", QUESTIONS, body, **{"Content_Type": "application/json", **headers})
            if '"working-tick"' not in text:
                return status, text

    def raw(self, request: bytes) -> bytes:
        """The answer to exactly these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=60) as connection:
            connection.sendall(request)
            connection.shutdown(socket.SHUT_WR)
            return b"".join(iter(lambda: connection.recv(65536), b""))

    def stop(self) -> str:
        """Ends the server. Returns its further lines on stderr, after the address."""
        self._process.terminate()
        self._process.wait(60)
        self._listener.join(60)
        assert self._process.stderr is not None
        self._process.stderr.close()
        return "".join(self.stderr_lines)


def page_question(path: str, search: str = "") -> dict[str, Any]:
    """The request that a browser posts to show a page."""
    outputs = [{"id": id_, "property": prop} for id_, prop in (
        ("content", "children"), ("menu", "children"), ("page-title", "data"))]  # fmt: skip
    return {
        "output": "..content.children...menu.children...page-title.data..",
        "outputs": outputs,
        "inputs": [
            {"id": "address", "property": "pathname", "value": path},
            {"id": "address", "property": "search", "value": search},
        ],
        "changedPropIds": ["address.pathname"],
    }


def sql_question(sql: str) -> dict[str, Any]:
    """The request that a browser posts to show the result of a query."""
    return {
        "output": "sql-result.children",
        "outputs": {"id": "sql-result", "property": "children"},
        "inputs": [
            {"id": "sql-ask", "property": "data", "value": uuid4().hex},
            {"id": "sql-again", "property": "data"},
        ],
        "changedPropIds": ["sql-ask.data"],
        "state": [{"id": "address", "property": "search", "value": f"?sql={sql}"}],
    }
