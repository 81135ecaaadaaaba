"""The web page that shows what one trace says: figures and tables over the analyses of `hopscope`, nothing computed twice."""
