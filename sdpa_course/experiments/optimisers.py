"""SGD, momentum and Adam: how a gradient becomes a step. Used in notebook 09.

Parameters and gradients are dictionaries of arrays with the same names. A step changes the parameters in place.
"""

import math

import numpy as np

from ..kernels._checks import pick


class SGD:
    """w ← w − η dw; with momentum μ: u ← μ u + dw, w ← w − η u."""

    def __init__(self, learning_rate: float, momentum: float = 0.0):
        self.learning_rate, self.momentum = learning_rate, momentum
        self.velocity: dict[str, np.ndarray] = {}

    def step(self, params: dict[str, np.ndarray], gradients: dict[str, np.ndarray]) -> None:
        """Move every parameter against its gradient."""
        for name, dw in gradients.items():
            if self.momentum:
                dw = self.velocity[name] = self.momentum * self.velocity.get(name, 0) + dw
            params[name] -= self.learning_rate * dw


class Adam:
    """w ← w − η m̂ / (√ŝ + ε), with running means m of dw and s of dw² (Kingma and Ba 2015)."""

    def __init__(self, learning_rate: float, beta_1: float = 0.9, beta_2: float = 0.999, epsilon: float = 1e-8):
        self.learning_rate, self.beta_1, self.beta_2, self.epsilon = learning_rate, beta_1, beta_2, epsilon
        self.steps = 0
        self.mean: dict[str, np.ndarray] = {}
        self.square: dict[str, np.ndarray] = {}

    def step(self, params: dict[str, np.ndarray], gradients: dict[str, np.ndarray]) -> None:
        """Move every parameter by about the learning rate, whatever the size of its gradient."""
        self.steps += 1
        unbias_1, unbias_2 = 1 - self.beta_1**self.steps, 1 - self.beta_2**self.steps
        for name, dw in gradients.items():
            if name not in self.mean:
                self.mean[name], self.square[name] = np.zeros_like(dw), np.zeros_like(dw)
            mean, square = self.mean[name], self.square[name]
            mean += (1 - self.beta_1) * (dw - mean)
            square += (1 - self.beta_2) * (dw * dw - square)
            params[name] -= (
                (self.learning_rate / unbias_1) * mean / (np.sqrt(square) / math.sqrt(unbias_2) + self.epsilon)
            )


OPTIMISERS = {
    "SGD": SGD,
    "momentum": lambda learning_rate: SGD(learning_rate, momentum=0.9),
    "Adam": Adam,
}


def make_optimiser(name: str, learning_rate: float) -> SGD | Adam:
    """The optimiser called `name`."""
    return pick("optimiser", name, OPTIMISERS)(learning_rate)
