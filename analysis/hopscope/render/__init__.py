"""Shows an answer: to people (`terminal`), and to programs (`machine`)."""
