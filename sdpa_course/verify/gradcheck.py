"""Check a hand-derived gradient against numbers that know nothing of the derivation.

Three independent paths, all for a scalar loss L = Σ cotangent ⊙ f(x):

    finite differences  [L(x + h) − L(x − h)] / 2h            any function; good to about 1e-9
    complex step        Im L(x + ih) / h with h = 1e-30       no subtraction, so exact to rounding;
                                                              f must accept complex numbers (reference.py)
    one direction       one random direction instead of every entry: two calls, however large x is
"""

import numpy as np


def numerical_gradient(function, x: np.ndarray, *, step: float = 1e-6) -> np.ndarray:
    """Gradient of the scalar `function` at `x` by central differences, one entry at a time.

    Examples
    --------
    >>> numerical_gradient(lambda x: (x**2).sum(), np.array([1.0, 3.0])).round(6)
    array([2., 6.])
    """
    x = np.asarray(x, dtype=np.float64)
    gradient = np.zeros_like(x)
    for index in np.ndindex(*x.shape):
        nudge = np.zeros_like(x)
        nudge[index] = step
        gradient[index] = (function(x + nudge) - function(x - nudge)) / (2 * step)
    return gradient


def complex_step_gradient(function, x: np.ndarray, *, step: float = 1e-30) -> np.ndarray:
    """Gradient of the scalar `function` at `x` from Im f(x + ih) / h: no cancellation, exact to rounding.

    Examples
    --------
    >>> complex_step_gradient(lambda x: np.exp(x).sum(), np.array([0.0, 1.0]))
    array([1.        , 2.71828183])
    """
    x = np.asarray(x, dtype=np.float64)
    gradient = np.zeros(x.shape)
    for index in np.ndindex(*x.shape):
        nudged = x.astype(complex)
        nudged[index] += 1j * step
        gradient[index] = np.imag(function(nudged)) / step
    return gradient


def check_gradients(forward, backward, inputs, *, rng, step: float = 1e-6, tolerance: float = 1e-6) -> float:
    """Compare `backward` with finite differences along one random direction through all inputs at once.

    Parameters
    ----------
    forward : callable
        `forward(*inputs) -> (out, cache)`
    backward : callable
        `backward(dout, cache) -> gradients`, one for each input (or one array for one input).
    inputs : sequence of float64 arrays
    rng : np.random.Generator
        Draws the direction and the cotangent.
    step, tolerance : float

    Returns
    -------
    error : float
        Relative difference of the two directional derivatives.

    Raises
    ------
    AssertionError
        If they differ by more than `tolerance`; the message has both numbers.

    Examples
    --------
    >>> square = (lambda x: (x**2, x)), (lambda dout, x: 2 * x * dout)
    >>> check_gradients(*square, [np.array([1.0, 2.0])], rng=np.random.default_rng(0)) < 1e-6
    True
    """
    inputs = [np.asarray(x, dtype=np.float64) for x in inputs]
    directions = [rng.standard_normal(x.shape) for x in inputs]
    out, cache = forward(*inputs)
    dout = rng.standard_normal(out.shape)
    gradients = backward(dout, cache)
    if isinstance(gradients, np.ndarray):
        gradients = (gradients,)
    if len(gradients) != len(inputs):
        raise ValueError(f"backward: got {len(gradients)} gradients, expected {len(inputs)}, one for each input")
    for number, (gradient, x) in enumerate(zip(gradients, inputs, strict=True)):
        if gradient.shape != x.shape:
            raise AssertionError(f"gradient {number}: got shape {gradient.shape}, expected {x.shape}")

    def loss(t):
        return (dout * forward(*(x + t * d for x, d in zip(inputs, directions, strict=True)))[0]).sum()

    analytic = sum((g * d).sum() for g, d in zip(gradients, directions, strict=True))
    numeric = (loss(step) - loss(-step)) / (2 * step)
    error = abs(analytic - numeric) / max(1.0, abs(analytic), abs(numeric))
    if not error <= tolerance:
        raise AssertionError(f"directional derivative: backward gives {analytic:.10g}, differences {numeric:.10g}")
    return float(error)
