"""A recorded run replayed over other algorithms: what an iteration takes, and how far off the replay is."""
