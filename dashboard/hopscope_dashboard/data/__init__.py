"""The data of the pages. Only `trace` asks `hopscope`, and each answer is computed once."""
