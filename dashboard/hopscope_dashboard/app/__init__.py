"""The application around the pages: frame, routing, progress of slow pages, drawing pages ahead, and the server."""
