"""The truths behind the predictions of appendices A1 and A2."""

from ..questions import Truth


def small_inputs(out_gap: float, gradient_gap: float) -> Truth:
    """What a forgotten scale does to output and gradient when queries and keys are small."""
    return Truth(
        "only the output's nearly vanishes",
        f"The output's gap falls to {out_gap:.4f}, that of dQ stays at {gradient_gap:.2f}.",
    )


def who_notices() -> Truth:
    """Which gradients depend on the scale's own way back."""
    return Truth("dQ and dK", "The blame on V never passes through the scores, so the scale isn't on its way.")


def untransposed() -> Truth:
    """A square matrix that hasn't been turned."""
    return Truth(
        "nothing, and the output is wrong", "All shapes fit, because the matrices are square. Only the numbers tell."
    )


def which_corner() -> Truth:
    """How PyTorch aligns a causal mask."""
    return Truth(
        "top left, offset = 0",
        "It takes the queries for the first tokens. The other corner has to be written out as a mask.",
    )


def last_bit() -> Truth:
    """What 500 steps without the scale make of the last bit of one parameter."""
    return Truth(
        "so far that you'd see it in a plot of the loss",
        "The gap passes 0.01, while with the scale it stays below 1e-10.",
    )


# Appendix A2


def where_it_is_right() -> Truth:
    """When forgetting the correction does no harm."""
    return Truth("largest first", "Then the maximum never rises again, and every correction would have been 1.")


def rows_lost() -> Truth:
    """A first block in which every key is hidden."""
    return Truth("all of them", "The maximum is −∞, and −∞ − (−∞) is NaN. One NaN in the state stays for good.")


def time_of_blocks() -> Truth:
    """How the time of blocked attention grows."""
    return Truth("like T²", "Every score is still computed. Only the memory falls from T² to T.")


def rows_that_agree() -> Truth:
    """Decoding with a cache against one pass without a causal mask, six tokens."""
    return Truth("only the last", "The last token sees everything either way. All others would have to be done again.")


def many_scores(steps: int) -> Truth:
    """How many times as many scores are computed without a cache."""
    times = sum(t * t for t in range(1, steps + 1)) // sum(range(1, steps + 1))
    return Truth(times, f"It's (2T + 1)/3, which makes {times} for {steps} tokens.")
