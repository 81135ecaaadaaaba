"""Verdicts for CI: what a gate says, how it comes out, and the gates that a project's file asks for."""

from hopscope.gate.expression import Gate, parse
from hopscope.gate.judgement import Outcome, Verdict, evaluate, worst

__all__ = ["Gate", "Outcome", "Verdict", "evaluate", "parse", "worst"]
