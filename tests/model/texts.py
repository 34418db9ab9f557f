"""Texts to compare tokenizers and logits on: the oracle stores its answers to them, the test reads those."""

import random

from sdpa_course.experiments.language import paragraph

STORY = paragraph()
TEXTS = [
    "Hello",
    "The capital of France is",
    "The dog chased the ball because it was fast",
    "2 + 2 = 4, and 12,345 is a number with 5 digits.",
    "def add(a, b):\n    return a + b\n\n\nprint(add(2, 3))  # 5\n",
    "<|im_start|>user\nWhat is attention?<|im_end|>\n<|im_start|>assistant\n",
    "Größe, naïveté, Ωμέγα, 日本語, 🙂 — and back to plain English again.",
    STORY.split("By the middle")[0],
    STORY,
    "\n\n".join([STORY] * 4),
]
PROMPT = "Once upon a time, in a village by the sea, there lived an old"


def random_strings(count: int = 2000, seed: int = 0) -> list[str]:
    """Strings from all of Unicode: every second one drawn evenly, the others closer to what people type."""
    rng = random.Random(seed)
    common = [*range(32, 127), *range(160, 0x3000), 9, 10, 13, *[32] * 3, 0x3000, 0x1F600, 0x1F468, 0x200D]
    pieces = ["  ", " the", "12", "'s", " 345", "\n\n", "don't", "é", "naïve "]
    strings = []
    for index in range(count):
        length = rng.randrange(1, 40)
        if index % 2:
            codes = (rng.randrange(0x110000) for _ in range(length))
            strings.append("".join(chr(code) for code in codes if not 0xD800 <= code < 0xE000))
        else:
            mixed = (chr(rng.choice(common)) if rng.random() < 0.5 else rng.choice(pieces) for _ in range(length))
            strings.append("".join(mixed))
    return strings
