"""The claims of the course on trial: what is said, how it is tried, what was found. Notebook 11."""
