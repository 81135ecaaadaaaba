"""A project's figures for each commit, so that CI can show their trend. `analyze gate --history DIR` writes an entry,
`analyze history DIR` shows all.

entry        one commit's figures, from its runs; as JSON, schemas/history.schema.json
folder       the entries of a directory, and the rows that they make
picture_svg  the history as one HTML file
"""
