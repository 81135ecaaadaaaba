"""Replays a recorded run over other algorithms: the time of an iteration, and the error of the replay."""
