"""Gates for CI: their syntax, their evaluation, and the gates in a project's file."""

from hopscope.gate.expression import Gate, parse
from hopscope.gate.judgement import Outcome, Verdict, evaluate, worst

__all__ = ["Gate", "Outcome", "Verdict", "evaluate", "parse", "worst"]
