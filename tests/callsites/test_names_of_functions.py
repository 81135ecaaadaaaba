"""Names of functions from the linker become the names that the authors wrote in the source."""

import pytest
from hopscope.callsites.functions import readable


@pytest.mark.parametrize(
    ("symbol", "file", "function"),
    [
        ("step", "a.c", "step"),
        ("step.constprop.0", "a.c", "step"),
        ("_private", "a.c", "_private"),
        ("old_", "a.c", "old_"),
        # GNU Fortran: a procedure of a module, an external one, and the program. Without debug information it is
        # unknown that the language is Fortran, but hardly anything else ends in an underscore.
        ("__heat_MOD_advance", "m.f90", "heat::advance"),
        ("__heat_flow_MOD_put_in", None, "heat_flow::put_in"),
        ("finish_", "m.F90", "finish"),
        ("finish_", None, "finish"),
        ("MAIN__", None, "program"),
        # Fortran compilers of Intel and LLVM.
        ("heat_mp_advance_", None, "heat::advance"),
        ("_QMheatPadvance", None, "heat::advance"),
        # C++: names without results and arguments. Operators keep the arguments, because their names alone are
        # ambiguous.
        ("_ZN6solver4GridIdE8exchangeEi", "c.cpp", "solver::Grid<double>::exchange"),
        ("_Z4swapIiEvRT_S1_", "c.cpp", "swap<int>"),
        ("_ZN12_GLOBAL__N_14stepEv", "c.cpp", "(anonymous namespace)::step"),
        ("_ZN1AclEi", "c.cpp", "A::operator()(int)"),
        ("_Znonsense", "c.cpp", "_Znonsense"),
    ],
)
def test_a_linkers_name_is_made_readable(symbol: str, file: str | None, function: str) -> None:
    assert readable(symbol, file) == function


def test_an_underscore_at_the_end_stays_where_the_language_is_known() -> None:
    assert readable("old_", None, "c") == "old_"


def test_long_template_arguments_are_left_out() -> None:
    """The name std::map<std::string, std::vector<...>>::at contains allocators and comparators, and has 300 letters."""
    symbol = "_ZNSt3mapINSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt6vectorIiSaIiEESt4lessIS5_E"
    symbol += "SaISt4pairIKS5_S8_EEE2atERSC_"
    assert readable(symbol, "c.cpp") == "std::map<…>::at"
