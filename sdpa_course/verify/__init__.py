"""Independent paths to the same numbers: slow loops, finite differences, complex steps."""
