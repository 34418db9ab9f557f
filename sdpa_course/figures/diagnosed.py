"""What `diagnose` shows in a notebook: your weights beside those with 1/√d_k."""

import numpy as np

from .kit import Page, picture
from .kit.matrices import matrix, number


@picture(height={"book": 236, "phone": 444})
def two_weights(page: Page, yours, right) -> str:
    """The weights of some function, and softmax(q·k/√d_k) for the same queries and keys: the first 5 by 7."""
    yours, right = (np.asarray(weights, dtype=float)[:5, :7] for weights in (yours, right))
    gap = np.nan_to_num(np.abs(yours - right), nan=np.inf)
    i, j = np.unravel_index(np.argmax(gap), gap.shape)
    differ, size = gap[i, j] > 0.005, f"{len(right)} queries and {len(right[0])} keys"
    places = [(33, 34), (33, 232)] if page.narrow else [(18, 34), (367, 34)]
    look = {"colour": "weight", "cell": (39 if page.narrow else 45, 31), "size": 12, "digits": 2, "shade": True}
    for click, (name, weights) in enumerate({"yours": yours, "with 1/√$d_k$": right}.items()):
        with page.step(click):
            matrix(page, *places[click], weights, name=name, lit=[(i, j)] if differ else (), **look)
    told = f"{number(yours[i, j], 2) or 'NaN'} where 1/√d_k gives {number(right[i, j], 2)}"
    page.caption(f"furthest off: {told}".replace("d_k", "$d_k$") if differ else "no weight differs by more than 0.005")
    return f"Two tables of weights, for the same {size}: yours, and softmax of q·k over the root of d_k. " + (
        f"They differ most for query {i + 1} and key {j + 1}: {told}." if differ else "They agree to two decimals."
    )
