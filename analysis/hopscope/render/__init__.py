"""How an answer is shown: for people (`terminal`), and for programs (`machine`)."""
