"""Web pages that show a trace.

Their figures and tables show the results of `hopscope`'s analyses. Each result is computed once.
"""
