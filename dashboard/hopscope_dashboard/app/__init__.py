"""The application around the pages: its frame, the routing, pages that are slow or drawn ahead, and what it serves."""
