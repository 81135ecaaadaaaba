"""What a run is that shall go faster: its operations, calls and messages, and the parts that can change apart."""
