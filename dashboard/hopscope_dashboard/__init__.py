"""Web pages that show a trace.

Figures and tables over the analyses of `hopscope`, nothing computed twice.
"""
