"""Escapes text of unknown origin, such as names of programs, hosts and files. Characters that would control a terminal,
or reorder what a reader sees, are shown as escapes."""

import re

# Control characters of ASCII and Latin-1 (including ESC and the one-byte CSI), characters that change the direction of
# writing, separators of lines and paragraphs, and halves of surrogate pairs.
_ACTING = "\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff"
_IN_A_LINE = re.compile(f"[\t\n{_ACTING}]")
_IN_A_TEXT = re.compile(f"[{_ACTING}]")
_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def visible(text: str) -> str:
    """A text of several lines for people, with `\\x1b` in place of an escape character and so on. Tabs and line ends
    stay."""
    return _IN_A_TEXT.sub(_escape, text)


def visible_line(text: str) -> str:
    """Escape a text that must stay on one line, such as a table cell."""
    return _IN_A_LINE.sub(_escape, text)


def in_json_text(text: str) -> str:
    """A JSON text with the same value, in which JSON escapes replace characters that would control a terminal."""
    return _IN_A_TEXT.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def _escape(match: re.Match[str]) -> str:
    number = ord(match[0])
    return _ESCAPES.get(match[0]) or (f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}")
