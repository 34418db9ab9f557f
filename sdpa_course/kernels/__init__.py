"""Attention and its parts in NumPy, each forward function beside its hand-derived backward one.

One module per idea: `softmax`, `scores`, `masks`, `sdpa` (the readable pair), `blocked` with `tiling` and
`threads` (the fast form), `multihead`, `decoding`.
"""
