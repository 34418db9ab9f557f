"""What the slider of notebook 04 draws: weights and their Jacobian."""

import numpy as np

from ..experiments.saturation import SoftmaxJacobian
from .axes import cell_ticks
from .cells import write_in_cells
from .drawing import styled

LIMIT = 0.25  # no entry of the Jacobian is larger: p (1 − p) ≤ 1/4, and p_i p_j ≤ 1/4 as well


@styled
def weights_and_jacobian(axes, result: SoftmaxJacobian) -> str:
    """Bars of p on the left, its Jacobian as a heat map with the values written in on the right."""
    weights, jacobian, n = result.weights, result.jacobian, len(result.weights)
    ticks, names = np.arange(n), [str(i + 1) for i in range(n)]
    bars, heat = axes
    bars.vlines(ticks, 0, weights, color="C0", linewidth=60)  # one artist: faster than n bars
    for position, weight in enumerate(weights):
        bars.text(position, weight + 0.02, plain(weight), ha="center")
    bars.set(title="weights p", xlabel="key", ylabel="weight", xlim=(-0.6, n - 0.4), ylim=(0, 1.1))
    bars.set(xticks=ticks, xticklabels=names, yticks=(0, 0.5, 1))

    heat.imshow(jacobian, cmap="RdBu_r", vmin=-LIMIT, vmax=LIMIT)
    texts = np.array([[plain(value) for value in row] for row in jacobian])
    write_in_cells(heat, texts, (jacobian / LIMIT + 1) / 2, "RdBu_r", 13)
    heat.set(title="Jacobian ∂weight i / ∂score j", xlabel="score j", ylabel="weight i")
    cell_ticks(heat, ticks, names)
    return (
        f"Left, a bar chart of {n} weights: {', '.join(map(plain, weights))}. Right, their {n} by {n} Jacobian as a "
        f"heat map with the values written in: on the diagonal {', '.join(map(plain, np.diag(jacobian)))}; "
        f"beside it zero or negative, lowest {plain(np.min(jacobian))}."
    )


def plain(value: float) -> str:
    """Three decimals, and never a minus zero."""
    return f"{np.round(value, 3) + 0.0:.3f}"
