"""Questions to a dataset: headers of SQL, their catalog, and what runs them."""
