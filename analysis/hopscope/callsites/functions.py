"""Restores names of functions as their authors wrote them. C++ and Fortran compilers mangle names for the linker."""

import ctypes
import re
from contextlib import suppress
from functools import cache

_FORTRAN_MODULE = re.compile(
    r"__(?P<module>\w+?)_MOD_(?P<name>\w+)"  # GNU
    r"|(?P<intel_module>\w+?)_mp_(?P<intel_name>\w+?)_"
    r"|_QM(?P<flang_module>[a-z0-9_]+)P(?P<flang_name>[a-z0-9_]+)"
)
_FORTRAN_PROGRAMS = ("MAIN__", "_QQmain")
FORTRAN_FILES = (".f", ".for", ".f77", ".f90", ".f95", ".f03", ".f08")
"""Suffixes of Fortran sources, in lower case."""

_CLONE = re.compile(r"\.(?:constprop|isra|part|cold|lto_priv|llvm|\d)[\w.]*$")
_LONGEST = 80


def readable(symbol: str, file: str | None, language: str = "unknown") -> str:
    """The function behind a linker's name: `heat::advance` for `__heat_MOD_advance`, `solve` for `solve_` in Fortran,
    `Grid<double>::exchange` for `_ZN4GridIdE8exchangeEi`. Names that are not mangled stay as they are."""
    name = _CLONE.sub("", symbol)
    if name in _FORTRAN_PROGRAMS:
        return "program"
    if fortran := _FORTRAN_MODULE.fullmatch(name):
        return "::".join(part for part in fortran.groups() if part)
    if name.startswith("_Z"):
        return _without_arguments(_demangled(name))
    is_fortran = file.lower().endswith(FORTRAN_FILES) if file else language == "unknown"
    if is_fortran and re.fullmatch(r"[a-z]\w*_", name):
        return name.rstrip("_")
    return name


def _demangled(name: str) -> str:
    library = _cxx()
    if library is None:
        return name
    status = ctypes.c_int()
    address = library.__cxa_demangle(name.encode(), None, None, ctypes.byref(status))
    if not address:
        return name
    try:
        return ctypes.string_at(address).decode(errors="replace")
    finally:
        ctypes.CDLL(None).free(ctypes.c_void_p(address))


@cache
def _cxx() -> ctypes.CDLL | None:
    """The C++ standard library, which can demangle names; None if it is missing."""
    with suppress(OSError):
        library = ctypes.CDLL("libstdc++.so.6")
        library.__cxa_demangle.restype = ctypes.c_void_p
        return library
    return None


def _without_arguments(name: str) -> str:
    """The name without result type and arguments. Shortens a long list of template arguments."""
    if "operator" in name:
        return name
    depth, begin, end = 0, 0, len(name)
    for position, letter in enumerate(name):
        if letter == "(" and depth == 0 and not name.startswith(("(anonymous", "({lambda"), position):
            end = position
            break
        depth += letter in "<({["
        depth -= letter in ">)}]"
        if letter == " " and depth == 0:
            begin = position + 1
    function = name[begin:end] or name
    while len(function) > _LONGEST and (shorter := re.sub(r"<[^<>…]*(?:<…>[^<>…]*)*>", "<…>", function)) != function:
        function = shorter
    return function
