"""What the pages know of a trace: `trace` asks `hopscope`, each answer is computed once, and nobody else asks."""
