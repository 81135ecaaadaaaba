"""The names that an ELF file defines for others to link to or to find by dlsym.

Only what choosing a collector needs: 64-bit files of this machine's byte order. Anything else has no names.
"""

import struct
from pathlib import Path

_HEADER = struct.Struct("=4sBBB9xHHIQQQIHHHHHH")
_SECTION = struct.Struct("=IIQQQQIIQQ")
_SYMBOL = struct.Struct("=IBBHQQ")
_SYMTAB, _DYNSYM = 2, 11


def is_elf(path: Path) -> bool:
    """True for a program or library, as against a script or anything else."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def _names(path: Path, table: int) -> set[str]:
    try:
        data = path.read_bytes()
        header = _HEADER.unpack_from(data)
    except (OSError, struct.error):
        return set()
    magic, bits, sections_at, sections = header[0], header[1], header[9], header[15]
    if magic != b"\x7fELF" or bits != 2:
        return set()
    names: set[str] = set()
    try:
        headers = [_SECTION.unpack_from(data, sections_at + i * _SECTION.size) for i in range(sections)]
        for section in headers:
            kind, offset, size, link = section[1], *section[4:7]
            if kind != table:
                continue
            strings = headers[link][4]
            for symbol in _SYMBOL.iter_unpack(data[offset : offset + size]):
                if symbol[3]:  # the section it is in; 0: defined elsewhere
                    start = strings + symbol[0]
                    names.add(data[start : data.index(b"\0", start)].decode(errors="replace"))
    except (struct.error, IndexError, ValueError):
        return set()
    return names


def exported_names(library: Path) -> set[str]:
    """The names that a shared library or program exports to the dynamic linker. Empty for other files."""
    return _names(library, _DYNSYM)


def own_names(program: Path) -> set[str]:
    """The names that are linked into a program itself; empty if it was stripped."""
    return _names(program, _SYMTAB)
