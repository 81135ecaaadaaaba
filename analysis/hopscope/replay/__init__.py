"""Replays a recorded run with other algorithms, to predict the time of an iteration."""
