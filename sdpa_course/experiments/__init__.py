"""Experiments: each draws its own data from an `rng`, computes, and returns a plain result object."""
