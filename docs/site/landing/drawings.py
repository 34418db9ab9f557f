"""The small drawings of the landing page, as SVG that takes its colours from the page."""

import math
from collections.abc import Iterable, Mapping

import numpy as np

OVERFLOW = math.log(65504)  # exp of a larger score isn't finite in float16


def svg(height: float, alt: str, inside: Iterable[str], width: int = 300, kind: str = "") -> str:
    """A drawing with its alt text."""
    return f'<svg viewBox="0 0 {width} {height}" role="img" aria-label="{alt}" class="{kind}">{"".join(inside)}</svg>'


def text(x: float, y: float, words: str, anchor: str = "start", kind: str = "") -> str:
    """Words whose baseline starts, ends or is centred at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{words}</text>'


def bars_of_rows(plain: np.ndarray, rooted: np.ndarray) -> str:
    """Each query's share of the squared gradient, without and with the root."""
    parts, told = [], []
    for lengths, kind, name, base in ((plain, "raw", "no division", 66), (rooted, "root", "÷ √512", 122)):
        shares = lengths**2 / (lengths**2).sum()
        told.append(f"{name}: the largest share is {shares.max():.0%}")
        high = np.maximum(90 * shares, 0.8)
        parts += [
            f'<rect class="{kind}" x="{3 + 12.4 * i:.1f}" y="{base - tall:.1f}" width="9" height="{tall:.1f}"/>'
            for i, tall in enumerate(high)
        ]
        parts += [
            f'<path class="axis" d="M0 {base}.5H300"/>',
            text(300, base - 50 if kind == "raw" else 92, name, "end"),
        ]
    parts.append(text(0, 140, f"{len(plain)} queries, the share of each"))
    return svg(144, f"How {len(plain)} queries share the gradient. {'; '.join(told)}.", parts)


def float16_lines(scores: np.ndarray) -> str:
    """Scores on a line with the place where exp overflows, and the same scores minus the largest."""
    low, high = scores.min() - scores.max(), scores.max()

    def at(score: float) -> float:
        return 8 + 284 * (score - low) / (high - low)

    parts = [f'<path class="wall" d="M{at(OVERFLOW):.1f} 18V132"/>', text(0, 12, "the scores above, at d_k = 512")]
    for moved, y in ((scores, 38), (scores - scores.max(), 112)):
        parts.append(f'<path class="axis" d="M0 {y}H300"/>')
        parts += [
            f'<circle class="{"raw" if score > OVERFLOW else "plain"}" cx="{at(score):.1f}" cy="{y}" r="4.5"/>'
            for score in moved
        ]
    wall = at(OVERFLOW) - 7
    parts += [text(wall, 62, "exp overflows", "end"), text(wall, 77, "in float16 here →", "end")]
    parts += [text(0, 96, "minus the largest"), text(at(0), 132, "0", "middle")]
    lost = int((scores > OVERFLOW).sum())
    alt = (
        f"{len(scores)} scores; {lost} lie beyond 11.09, where exp overflows in float16. Minus the largest, none does."
    )
    return svg(140, alt, parts)


def shipped_bars(once: float, twice: float) -> str:
    """What a model got right, divided once and twice."""
    parts = [text(0, 14, "divided once"), f'<rect class="root" x="0" y="22" width="{560 * once:.1f}" height="28"/>']
    parts += [text(560 * once + 8, 42, f"{once:.1%}", kind="strong"), text(0, 80, "divided twice")]
    parts += ['<rect class="full" x="0" y="88" width="1.5" height="28"/>', text(10, 108, f"{twice:.2%}", kind="strong")]
    parts.append(text(0, 140, "OPT-125m’s accuracy on LAMBADA"))
    return svg(144, f"Accuracy on LAMBADA: {once:.1%} when divided once, {twice:.2%} when divided twice.", parts)


def loss_curve(losses: Mapping[float, float]) -> str:
    """A model's loss against the factor on its scores."""
    low, high = math.floor(min(losses.values())), math.ceil(max(losses.values()))

    def place(factor: float, loss: float) -> tuple[float, float]:
        return 34 + 342 * (math.log2(factor) + 2) / 5, 230 - 200 * (loss - low) / (high - low)

    points = [place(*pair) for pair in losses.items()]
    parts = []
    for loss in range(low, high + 1):
        y = place(1, loss)[1]
        parts += [f'<path class="grid" d="M34 {y:.1f}H384"/>', text(26, y + 4, str(loss), "end")]
    for factor, name in ((0.25, "¼"), (0.5, "½"), (1, "1"), (2, "2"), (4, "4"), (8, "8")):
        parts.append(text(place(factor, low)[0], 250, name, "middle"))
    x, y = place(1, losses[1])
    parts.append(f'<path class="line" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}"/>')
    for (x_, y_), (factor, loss) in zip(points, losses.items(), strict=True):
        here = ' class="here"' if factor == 1 else ""
        parts.append(f'<circle{here} data-loss="{loss}" cx="{x_:.1f}" cy="{y_:.1f}" r="4"/>')
    parts += [text(x, y - 16, "as trained", "middle", "strong"), text(366, 46, "no division", "end", "strong")]
    parts += [text(60, 116, "too flat"), text(330, 160, "too sharp"), text(209, 270, "factor on the scores", "middle")]
    told = ", ".join(f"{loss:.2f} at {factor:g}" for factor, loss in losses.items())
    return svg(276, f"Loss against the factor on the scores: {told}. 8 undoes the division.", parts, 390, "curve")
