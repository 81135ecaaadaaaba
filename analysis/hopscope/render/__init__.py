"""How an answer is shown: for people (`terminal`), for programs (`machine`), for the record (`report`)."""
