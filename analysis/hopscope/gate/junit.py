"""Gates as JUnit XML, which CI systems show beside a run's tests: a failed gate is a failure, one that cannot be judged
an error, one that was left out is skipped."""

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from hopscope.gate.suite import Judged
from hopscope.render.visible import visible

# What XML 1.0 cannot hold at all, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ELEMENTS = {"failed": "failure", "undecided": "error"}


def as_junit(trace: str, judged: Sequence[Judged]) -> str:
    """One test suite, one test case per gate; its class is the gate's kind and analysis."""
    verdicts = [one.outcome.outcome if one.outcome else "skipped" for one in judged]
    counts = {
        "tests": len(judged),
        "failures": verdicts.count("failed"),
        "errors": verdicts.count("undecided"),
        "skipped": verdicts.count("skipped"),
    }
    attributes = {"name": _clean(f"hopscope gates on {trace}"), **{name: str(n) for name, n in counts.items()}}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for one, verdict in zip(judged, verdicts, strict=True):
        named = {"classname": _clean(f"{one.kind}.{one.question}"), "name": _clean(one.expression)}
        case = ElementTree.SubElement(suite, "testcase", named)
        if one.outcome is None:
            ElementTree.SubElement(case, "skipped", {"message": "it needs a baseline, and none was given"})
        elif verdict in _ELEMENTS:
            said = _clean(one.outcome.sentence)
            ElementTree.SubElement(case, _ELEMENTS[verdict], {"message": said}).text = said
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"


def _clean(text: str) -> str:
    return _NO_XML.sub("?", visible(text))
