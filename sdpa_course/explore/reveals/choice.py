"""The truths behind the predictions of act III, notebooks 07 and 08."""

from ...figures.choosing import folded_steps
from ...figures.copying import either_half
from ...figures.sharing import same_columns
from ...figures.splitting import reached
from ..questions import Truth


def largest_share(flat, root) -> Truth:
    """The largest of 64 weights if scores are divided by d_k; both are `LayerStatistics`."""
    return Truth(
        100 * flat.top.mean,
        f"It's {100 * flat.top.mean:.1f} %, and equal shares would be {100 / flat.n:.1f} %: nearly a plain average. "
        f"With the root it's {100 * root.top.mean:.0f} %.",
    )


def other_crowds(at_half: dict[int, list[float]]) -> Truth:
    """Where three widths are equally sharp, for other numbers of keys: n -> entropies at exponent ½."""
    few, *_, many = at_half
    listed = [", ".join(f"{entropy:.2f}" for entropy in at_half[n]) for n in (few, many)]
    return Truth(
        "the same",
        f"The variance has no n in it. What changes is how sharp they are: the entropies at ½ are {listed[0]} with "
        f"{few} keys and {listed[1]} with {many}.",
    )


def same_bits(found: dict[int, bool]) -> Truth:
    """At which widths it doesn't matter to the last bit where the factor sits: d_k -> whether it does."""
    same = ", ".join(str(d_k) for d_k, equal in found.items() if equal)
    other = ", ".join(str(d_k) for d_k, equal in found.items() if not equal)
    return Truth(
        "16, 64 and 256",
        f"Equal bits at {same}, other last bits at {other}. If d_k is a power of 4, the factor is a power of 2, and "
        "multiplying by that only moves the exponent. Nothing is rounded.",
    )


def one_step_each(ratios: dict[str, float], d_k: int) -> Truth:
    """How much farther one step of SGD moves the scores, if the factor is inside W_Q."""
    return Truth(
        f"{ratios['SGD']:.0f} times as far",
        f"The gradient on the smaller matrix is {d_k**0.5:.0f} times as large, and each unit of it counts "
        f"{d_k**0.5:.0f} times as much. Adam drops the first factor, Adafactor both.",
        folded_steps.drawn(ratios, d_k),
    )


def one_is_fine(formulas: dict[str, str]) -> Truth:
    """Which of four functions is right: name -> the factor that `diagnose` found."""
    (right,) = (name for name, formula in formulas.items() if formula == "1/√d_k")
    wrong = ", ".join(f"{name} {formula}" for name, formula in formulas.items() if name != right)
    return Truth(right, f"What it divides by twice, it multiplies back. The factors of the others: {wrong}.")


def one_is_not(formulas: dict[str, str]) -> Truth:
    """Which of four functions is a bug: name -> the factor that `diagnose` found."""
    right = {"1/√d_k", "8"}  # eight times a cosine is right for heads of 64
    (wrong,) = (name for name, formula in formulas.items() if formula not in right)
    return Truth(
        wrong,
        f"Its factor is {formulas[wrong]}, the number of heads where their width belongs. The other three look odd and "
        "give scores of variance 1.",
    )


def one_entry(change) -> Truth:
    """How many heads notice when one entry of a token moves; `change` is (heads, d_k), of its query."""
    return Truth(
        "all four",
        "Each head has its own columns of W_Q, and every column multiplies every entry of the token.",
        reached.drawn(len(change) * len(change[0]), change),
    )


def one_cut_more(results: list) -> Truth:
    """The variance of a score divided by the root of the model's width; `results` are `HeadScores`."""
    found = {r.h: r.variance.mean for r in results if r.scale == "1/sqrt(d_model)"}
    return Truth(
        list(found.values()),
        f"It's 1/h: each head adds up only d_model / h products. With 8 heads we measured {found[8]:.3f}.",
    )


def either_side(errors: dict, two_heads: float) -> Truth:
    """Where one head should put its weight; weight on the left -> the errors of both halves."""
    return Truth(
        "it makes no difference",
        f"The sum is {sum(errors[0.5]):.2f} wherever the weight goes, and {two_heads:.2f} with two heads.",
        either_half.drawn(errors, two_heads),
    )


def many_maps(counts: dict) -> Truth:
    """What grows with the number of heads: heads -> (parameters, multiplications, weights)."""
    shown = {h: (parameters, weights) for h, (parameters, _, weights) in counts.items() if h <= 8}
    return Truth(
        "the table of weights",
        "The columns are the same, only cut in more places. But every head has a map of its own.",
        same_columns.drawn(shown),
    )


def quiet_parameter(largest: dict) -> Truth:
    """Which parameter never gets a gradient: name -> its largest gradient, without a sign."""
    others = [value for name, value in largest.items() if name != "b_k"]
    return Truth(
        "the bias of K",
        f"Its largest gradient is {largest['b_k']:.2f}; those of the others are between {min(others):.2f} and "
        f"{max(others):.2f}.",
    )
