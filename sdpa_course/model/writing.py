"""Let the model write: the likeliest word each time, or one drawn by lot."""

from collections.abc import Iterator
from itertools import islice, takewhile
from typing import Any

import numpy as np

from ..kernels._checks import number, whole_number
from ..kernels.softmax import softmax_forward
from .llama import Model, logits, new_cache


def next_tokens(
    model: Model, tokens: list[int], *, temperature: float = 0.0, rng: np.random.Generator | None = None, **knobs: Any
) -> Iterator[int]:
    """Token after token, without end: read the prompt once, then only the token that was just written.

    Temperature 0 takes the likeliest token. Above it, one is drawn with probabilities softmax(logits / temperature),
    from `rng`. The knobs are those of `forward`.
    """
    temperature = number("temperature", temperature)
    if temperature < 0 or (temperature > 0 and rng is None):
        raise ValueError(f"temperature: got {temperature}, expected 0, or a number above 0 together with rng=")
    cache = new_cache(model)
    while True:
        (row,) = logits(model, tokens, cache, last=True, **knobs)
        if temperature == 0 or rng is None:
            token = int(row.argmax())
        else:
            token = int(rng.choice(row.size, p=softmax_forward(row.astype(float) / temperature)))
        yield token
        tokens = [token]


def write(model: Model, text: str, *, tokens: int = 40, progress: bool = True, **choices: Any) -> str:
    """The model's continuation of a text, up to this many tokens; it stops early where the model ends the text."""
    from tqdm.auto import tqdm

    prompt, count = model.tokenizer.encode(text), whole_number("tokens", tokens, least=1)
    if not prompt:
        raise ValueError("text: got an empty one, expected at least one character to go on from")
    choose = islice(next_tokens(model, prompt, **choices), count)
    bar = tqdm(choose, total=count, unit="token", disable=not progress, leave=False)
    return model.tokenizer.decode(list(takewhile(lambda token: token != model.tokenizer.end, bar)))
