"""Candidates judged by replaying the run: times, guesses, the choice among them, and what is said."""
