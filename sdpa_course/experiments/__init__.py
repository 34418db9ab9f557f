"""Experiments: each draws its own data, computes, and returns a plain result object.

An experiment takes the `rng` that it draws from. One behind a slider takes a `seed` instead and keeps what it has
drawn, because the reader moves back and forth and has to find the same numbers at the same place.
"""
