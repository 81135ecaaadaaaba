"""Asks a dataset questions: the headers of the SQL files, their catalog, and the code that runs them."""
