"""Shared by the tests and the doctests."""

import numpy as np
import pytest

import sdpa_course


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """Doctests may use NumPy and the package's public names without importing them."""
    doctest_namespace["np"] = np
    doctest_namespace.update({name: getattr(sdpa_course, name) for name in sdpa_course.__all__})


@pytest.fixture(scope="session")
def torch():
    """PyTorch, the outside oracle: it takes seconds to load, so only the tests that ask it wait for it."""
    import torch

    return torch
