"""The register of claims, C01 to C29: what is said, where it was decided, and the experiment that tries it.

Each trial runs the experiment of the notebook that decided the claim, with the same seed where that notebook
starts one, so that its numbers are found there again. Trials take a seed and not a generator: two claims that
need one experiment then share it through a cache.
"""

from .alternatives import c03, c13, c14
from .gradients import c07, c08, c09, c17
from .heads import c04, c05, c28
from .shapes import c16, c22, c23, c24, c25, c26, c29
from .softmax import c06, c10, c11, c27
from .training import c18, c19, c20
from .variance import c01, c02, c12, c15, c21
from .verdict import Claim, Trial

THEMES = {
    "variance": "Dot products and their variance",
    "softmax": "Softmax",
    "gradients": "Gradients",
    "shapes": "Shapes and confusions",
    "alternatives": "Other scales, other scores",
    "heads": "Heads",
    "training": "Training",
}

NOTEBOOKS = {
    "00": "00_start_here",
    "01": "01_dot_products",
    "02": "02_variance",
    "03": "03_softmax",
    "04": "04_softmax_gradient",
    "05": "05_attention",
    "06": "06_attention_gradient",
    "07": "07_scale",
    "08": "08_heads",
    "09": "09_training",
}

# What is said, in a few words for a tile, and in a sentence.
SAID = {
    "C01": ("Var(q·k) =\u00a0d_k", "For independent entries with mean 0 and variance 1, q·k has variance d_k"),
    "C02": ("÷ √d_k gives\u00a01", "Divided by √d_k, scores have variance 1 whatever d_k is"),
    "C12": ("ranges −49…122", "Dot products run over about −23…23 in 2 dimensions and −49…122 in 5"),
    "C15": ("larger = nearer", "The larger the dot product, the more similar the two vectors"),
    "C21": ("entries start at 1", "Right after initialisation the entries of q and k have variance about 1"),
    "C06": ("scale stops overflow", "The scale is there because exp would overflow without it"),
    "C10": ("softmax of 7\u00a0and\u00a03", "softmax of [7, 3] is about [0.98, 0.02], of [25, 2, −3] about [1, 0, 0]"),
    "C11": ("a gap of 4 decides", "A lead of 4 makes softmax nearly one-sided, wherever the scores lie"),
    "C27": ("√d_k settles all", "After dividing by √d_k nothing else influences how sharp attention is"),
    "C07": ("gradients explode", "Leave the scale out and gradients explode"),
    "C08": ("gradients vanish", "Leave the scale out and gradients vanish"),
    "C09": ("p(1 − p)", "The derivative of softmax is p(1 − p)"),
    "C17": ("few are updated", "Sharp attention updates only a few weights, and ignored positions learn nothing"),
    "C16": ("one head keeps shape", "What one head returns has the shape of its input"),
    "C22": ("makes it parallel", "The scale is what makes attention parallel, or fast"),
    "C23": ("d_k = words", "d_k counts the words of the sentence"),
    "C24": ("÷ changes shape", "Dividing gives the score matrix another shape"),
    "C25": ("needed to sum to 1", "Without the scale softmax would not return probabilities"),
    "C26": ("softmax suffices", "Softmax normalises anyway, so scaling before it changes nothing"),
    "C29": (
        "“it” finds the dog",
        "In “The dog chased the ball because it was fast”, comparing queries and keys finds out what “it” is",
    ),
    "C03": ("1/d_k is too flat", "Dividing by d_k leaves variance 1/d_k, and attention becomes too flat"),
    "C13": ("additive in ±1", "The scores of additive attention lie between −1 and 1"),
    "C14": ("additive is slow", "Additive attention is slower because nothing in it is a matrix multiplication"),
    "C04": (
        "√d_model errs",
        "Dividing by √d_model corrects too little or too much, depending on the number of heads",
    ),
    "C05": ("GPT-3: d_k\u00a0=\u00a0128", "GPT-3 has width 12 288 and 96 heads, which makes d_k 128"),
    "C28": (
        "split, attend, merge",
        "Every head runs the same formula on its own part; the results are joined and projected",
    ),
    "C18": ("sharp = overfits", "Attention that is too sure of itself generalises badly"),
    "C19": ("no scale, no training", "Without the scale training falls apart"),
    "C20": ("√d_k is right", "√d_k is the right number to divide by"),
}

# theme -> where each claim was decided, its seed, its trial
TRIED = {
    "variance": {
        "C01": ("02", 2, c01),
        "C02": ("02", 2, c02),
        "C12": ("01", 12, c12),
        "C15": ("01", 15, c15),
        "C21": ("02", 2, c21),
    },
    "softmax": {
        "C06": ("03", 6, c06),
        "C10": ("03", 0, c10),
        "C11": ("03", 0, c11),
        "C27": ("03", 8, c27),
    },
    "gradients": {
        "C07": ("06", 6, c07),
        "C08": ("06", 6, c08),
        "C09": ("04", 0, c09),
        "C17": ("06", 6, c17),
    },
    "shapes": {
        "C16": ("05", 5, c16),
        "C22": ("05", 10, c22),
        "C23": ("00", 2, c23),
        "C24": ("00", 2, c24),
        "C25": ("00", 2, c25),
        "C26": ("00", 2, c26),
        "C29": ("05", 29, c29),
    },
    "alternatives": {
        "C03": ("07", 7, c03),
        "C13": ("07", 9, c13),
        "C14": ("07", 0, c14),
    },
    "heads": {
        "C04": ("08", 84, c04),
        "C05": ("08", 0, c05),
        "C28": ("08", 8, c28),
    },
    "training": {
        "C18": ("09", 0, c18),
        "C19": ("09", 0, c19),
        "C20": ("09", 0, c20),
    },
}

CLAIMS = {
    id: Claim(id, theme, *SAID[id], NOTEBOOKS[notebook], seed, try_it)
    for theme, rows in TRIED.items()
    for id, (notebook, seed, try_it) in rows.items()
}


def try_claims(theme: str) -> list[Trial]:
    """Try every claim of one theme."""
    if theme not in THEMES:
        raise ValueError(f"theme: got {theme!r}, expected one of {', '.join(THEMES)}")
    return [Trial(claim, claim.try_it(claim.seed)) for claim in CLAIMS.values() if claim.theme == theme]
