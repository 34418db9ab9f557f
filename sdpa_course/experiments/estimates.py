"""A measured number and how far to trust it."""

import math
from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np


class Estimate(NamedTuple):
    """A mean over independent draws, with its standard error.

    Examples
    --------
    >>> Estimate.of([1.0, 2.0, 3.0, 4.0]).mean
    2.5
    """

    mean: float
    error: float  # standard error of the mean
    draws: int = 1

    def __format__(self, spec: str) -> str:
        """The mean ± its standard error, both in the same format.

        Examples
        --------
        >>> f"{Estimate(0.9912, 0.0203):.3f}"
        '0.991 ± 0.020'
        """
        return f"{self.mean:{spec}} ± {self.error:{spec.lstrip('+')}}" if spec else repr(self)

    @property
    def spread(self) -> float:
        """Standard deviation between single draws."""
        return self.error * math.sqrt(self.draws)

    def z(self, theory: float) -> float:
        """How many standard errors the mean lies above `theory`; infinitely many if it's off and has no error.

        Examples
        --------
        >>> Estimate(2.5, 0.25).z(2.0)
        2.0
        """
        gap = self.mean - theory
        return gap / self.error if self.error else math.copysign(math.inf, gap) if gap else 0.0

    @classmethod
    def of(cls, values: Sequence[float] | np.ndarray) -> Self:
        """Estimate the mean that the values are draws of."""
        return cls(float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values)), len(values))

    @classmethod
    def of_variance(cls, values: np.ndarray) -> Self:
        """Estimate the variance that the values are draws of; the fourth moment gives the error."""
        variance = values.var(ddof=1)
        fourth = ((values - values.mean()) ** 4).mean()
        return cls(float(variance), math.sqrt(max(fourth - variance**2, 0) / len(values)), len(values))
