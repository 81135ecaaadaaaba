"""The web page that shows what one trace says.

Figures and tables over the analyses of `hopscope`, nothing computed twice.
"""
