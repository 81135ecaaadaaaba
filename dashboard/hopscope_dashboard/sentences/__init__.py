"""What the pages about one subject answer first: rows of the analyses in one sentence, with the numbers behind it."""
