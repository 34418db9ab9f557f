"""What the gallery draws the pictures of notebook 11 with: the stored slice, and a few made-up numbers."""

import numpy as np

from sdpa_course.experiments.language import SENTENCE_FOR_SLICE, causal_weights, load_slice

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
U = np.array([6.0, 4.2, 3.4, 4.1, 6.0, 7.9])


def of_a_model() -> dict[str, tuple]:
    """Each picture's name -> its arguments."""
    rng, seen = np.random.default_rng(11), load_slice()
    weights, z = causal_weights(seen.scores), np.linspace(-8, 4, 121)
    tokens = rng.standard_normal((3, 4)) * [[0.5], [3.0], [40.0]]
    normed = tokens / np.sqrt(np.mean(tokens**2, axis=1, keepdims=True))
    layers = [
        [(word, share)] for word, share in zip(["was", "("] * 15 + [" a"], np.linspace(0.9, 0.1, 31), strict=True)
    ]
    heads = rng.uniform(0, 1, (2, 270))
    losses = {
        kind: [(u + i, u + i - 0.2, u + i + 0.2) for u in U] for i, kind in enumerate(("prose", "dialogue", "code"))
    }
    changes = np.array([(x, x - 0.03, x + 0.03) for x in rng.normal(0.05, 0.05, 30)])
    return {
        "each_layer": (SENTENCE_FOR_SLICE, layers),
        "stack": (30,),
        "same_length": (tokens, normed),
        "clocks": (((3, 1), (8, 6), (8, 1)), 0.5, (0.54, 0.54, -0.94)),
        "gate": (z, z / (1 + np.exp(-z))),
        "start_and_trained": (dict.fromkeys(("variance", "entropy", "top weight", "first token"), (*heads, 1)),),
        "who_does_what": ({name: rng.uniform(0, 1, (30, 9)) for name in ("first", "previous", "same")},),
        "three_heads": ([w.strip() for w in seen.words], {f"head {h}": weights[5, h] for h in range(3)}),
        "what_is_it": (rng.uniform(0.02, 0.3, 35), ["hungry", "bored", "round", "red"], [0.7, 0.6, 0.1, -0.4]),
        "the_u": (FACTORS, losses),
        "by_layer": ({"0.5": changes, "2.0": changes},),
        "sink": ([w.strip() for w in seen.words], weights[:, :, -1].mean(axis=(0, 1)), np.linspace(1, 3, 9)),
    }
