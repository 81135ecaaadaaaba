"""The names that sources store: variables, parameters, fields, functions, constants, columns. Finds those that are no
nouns."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import tree_sitter
import tree_sitter_c
import tree_sitter_cpp

C: Final = tree_sitter.Parser(tree_sitter.Language(tree_sitter_c.language()))
CPP: Final = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))
PRONOUNS: Final = """
me my mine myself we us our ours you your yours he him his she her hers it its itself they them their theirs themselves
this that these those who whom whose which what whoever whatever whichever one ones some any all both each every either
neither none nobody somebody someone something anything nothing anybody everybody everything other others another own
same such several many much more most few fewer less least enough
"""
AUXILIARIES: Final = """
am is are was were be been being has have had having do does did doing can could may might must shall should will would
"""
PARTICLES: Final = """
about above across after against along among around at before behind below beneath beside besides between beyond by
during for from in inside into like near of off on onto out outside over past per since than through to toward towards
under until upon via with within without here there where when then now again already always ever never often once
sometimes soon still yet later earlier early late ago apart away back forward together elsewhere anywhere everywhere
nowhere today meanwhile otherwise why how whether if but and or
"""
PARTICIPLES: Final = """
found said told held laid tried known given taken made kept meant wanted seen got gone came went shown drawn asked
needed lost met begun began ended chosen named listed counted reached learned remembered awaited heard thought felt
announced judged judge lever spread reach leans ran
"""
NO_NOUNS: Final = frozenset(f"{PRONOUNS} {AUXILIARIES} {PARTICLES} {PARTICIPLES}".split())

Name = tuple[str, int]
"""A name and the line where it is stored."""


def is_no_noun(name: str) -> bool:
    """True if a name consists only of pronouns, auxiliary verbs, particles and participles of the dictionary."""
    words = [word for word in name.strip("_").lower().split("_") if word]
    return bool(words) and not name.startswith("__") and NO_NOUNS.issuperset(words)


def names_in(file: Path) -> Iterator[Name]:
    """The stored names of a source in Python, C, C++ or SQL."""
    text = file.read_text()
    if file.suffix in (".py", ".pyi"):
        return _names_in_python(text)
    if file.suffix == ".sql":
        return _names_in_sql(text)
    is_cpp = file.suffix in (".cpp", ".hpp") or any(file.parent.glob("*.cpp"))  # a header beside C++ is C++
    return _names_in_c(text, CPP if is_cpp else C)


def _names_in_python(text: str) -> Iterator[Name]:
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()) | ast.arg(arg=name):
                yield name, node.lineno
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name, node.lineno
            case _:
                pass


_DECLARATIONS: Final = {
    *("declaration", "field_declaration", "parameter_declaration", "optional_parameter_declaration"),
    *("function_definition", "type_definition", "for_range_loop"),
}
_DEFINITIONS: Final = {
    *("struct_specifier", "enum_specifier", "union_specifier", "class_specifier"),
    *("enumerator", "preproc_def", "preproc_function_def"),
}
_IDENTIFIERS: Final = {"identifier", "field_identifier", "type_identifier"}


def _names_in_c(text: str, parser: tree_sitter.Parser) -> Iterator[Name]:
    nodes = [parser.parse(text.encode()).root_node]
    while nodes:
        node = nodes.pop()
        nodes += node.children
        stored: list[tree_sitter.Node | None] = []
        if node.type in _DECLARATIONS:
            stored = [_declared(declarator) for declarator in node.children_by_field_name("declarator")]
        elif node.type in _DEFINITIONS and (node.child_by_field_name("body") or "specifier" not in node.type):
            stored = [node.child_by_field_name("name")]
        for name in stored:
            if name is not None and name.text is not None:
                yield name.text.decode(), name.start_point.row + 1


def _declared(declarator: tree_sitter.Node) -> tree_sitter.Node | None:
    """The identifier that a declarator declares, which may lie inside of pointers, arrays, functions and initial
    values."""
    node: tree_sitter.Node | None = declarator
    while node is not None and node.type not in _IDENTIFIERS:
        inner = node.child_by_field_name("declarator")
        nested = [child for child in node.children if child.type in _IDENTIFIERS or child.type.endswith("declarator")]
        node = inner or (nested[0] if nested else None)
    return node


_COMMENTS_AND_TEXTS: Final = re.compile(r"--[^\n]*|'[^']*'")
_ALIAS: Final = re.compile(r"\bas\s+(?!materialized\b|not\b|with\b)([a-z_]\w*)")
_STEP: Final = re.compile(r"\b([a-z_]\w*)\s+as\s+(?:not\s+)?(?:materialized\s+)?\(")
_OBJECT: Final = re.compile(r"create or replace (?:temp )?(?:view|macro|table)\s+([a-z_]\w*)(?:\(([^)]*)\))?")


def _names_in_sql(text: str) -> Iterator[Name]:
    code = _COMMENTS_AND_TEXTS.sub("", text)

    def line(match: re.Match[str]) -> int:
        return code.count("\n", 0, match.start()) + 1

    for pattern in (_ALIAS, _STEP):
        for match in pattern.finditer(code):
            yield match[1], line(match)
    for match in _OBJECT.finditer(code):
        yield match[1], line(match)
        for parameter in (match[2] or "").split(","):
            if name := parameter.partition(":=")[0].strip():
                yield name, line(match)
