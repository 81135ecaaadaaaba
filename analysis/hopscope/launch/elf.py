"""Reads the names that an ELF file defines for others to link to, or to find by dlsym. Any other file has no names."""

from functools import cache
from pathlib import Path


def is_elf(path: Path) -> bool:
    """True for a program or library; false for a script or any other file."""
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def is_static(program: Path) -> bool:
    """True for a program that the dynamic linker does not start."""
    from elftools.common.exceptions import ELFError
    from elftools.elf.elffile import ELFFile

    try:
        with program.open("rb") as file:
            elf = ELFFile(file)
            return elf["e_type"] in ("ET_EXEC", "ET_DYN") and not any(
                segment["p_type"] in ("PT_INTERP", "PT_DYNAMIC") for segment in elf.iter_segments()
            )
    except (OSError, ValueError, ELFError):
        return False


@cache  # choosing a collector and explaining the choice ask for the same names
def _names(path: Path, table: str) -> set[str]:
    from elftools.common.exceptions import ELFError  # imported here, because few commands look at a program
    from elftools.elf.elffile import ELFFile

    try:
        with path.open("rb") as file:
            symbols = (symbol for section in ELFFile(file).iter_sections(table) for symbol in section.iter_symbols())
            return {symbol.name for symbol in symbols if symbol["st_shndx"] != "SHN_UNDEF"}
    except (OSError, ValueError, ELFError):  # not an ELF file, or a damaged one
        return set()


def exported_names(library: Path) -> set[str]:
    """The names that a shared library or program exports to the dynamic linker. Empty for other files."""
    return _names(library, "SHT_DYNSYM")


def own_names(program: Path) -> set[str]:
    """The names that are linked into a program itself; empty if it was stripped."""
    return _names(program, "SHT_SYMTAB")
