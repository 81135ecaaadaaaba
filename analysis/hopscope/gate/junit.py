"""Writes gates as JUnit XML, which CI systems show beside a run's tests. A failed gate becomes a failure, an undecided
gate an error, and a gate that was left out is skipped."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from hopscope.gate.suite import GateResult
from hopscope.render.visible import visible

# Characters that XML 1.0 cannot contain, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "undecided": "error"}


def as_junit(trace: str, gate_results: Sequence[GateResult]) -> str:
    """The gates as one test suite with a test case per gate. A case's class is the gate's kind and analysis."""
    verdicts = [gate_result.outcome.outcome if gate_result.outcome else "skipped" for gate_result in gate_results]
    counts = {
        "tests": len(gate_results),
        "failures": verdicts.count("failed"),
        "errors": verdicts.count("undecided"),
        "skipped": verdicts.count("skipped"),
    }
    attributes = {"name": _clean(f"hopscope gates on {trace}"), **{name: str(n) for name, n in counts.items()}}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for gate_result, verdict in zip(gate_results, verdicts, strict=True):
        case_attributes = {
            "classname": _clean(f"{gate_result.kind}.{gate_result.question}"),
            "name": _clean(gate_result.expression),
        }
        case = ElementTree.SubElement(suite, "testcase", case_attributes)
        if gate_result.outcome is None:
            ElementTree.SubElement(case, "skipped", {"message": "it needs a baseline, and none was given"})
        elif verdict in _ELEMENTS:
            message = _clean(gate_result.outcome.sentence)
            ElementTree.SubElement(case, _ELEMENTS[verdict], {"message": message}).text = message
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return _NO_XML.sub("?", visible(text))
