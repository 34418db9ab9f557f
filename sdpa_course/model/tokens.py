"""Text to numbers and back: a byte-level tokenizer in GPT-2's style, built from what the model's file says.

A text's bytes are merged pair by pair, in the order in which the pairs were learned, and every piece has a number. The
package `tokenizers` does the work; here it only gets its parts. A byte that the vocabulary doesn't have is left out.
"""

from typing import Any

DIGITS_APART = {"smollm": True, "gpt-2": False}  # ways to cut a text into words before its bytes are merged
CONTROL = (3, 4)  # kinds of tokens that aren't made of other tokens: <|im_start|> and its like


class Tokenizer:
    """Turns a text into token numbers and token numbers into a text."""

    def __init__(self, parts: Any, end: int | None) -> None:
        self._parts = parts
        self.end = end  # the token after which a text is over

    def encode(self, text: str) -> list[int]:
        """Numbers of the tokens that make up a text."""
        if not isinstance(text, str):
            raise TypeError(f"text: got {type(text).__name__}, expected a string")
        try:
            text.encode()
        except UnicodeEncodeError:
            raise ValueError("text: got half of a surrogate pair, expected characters that UTF-8 can write") from None
        return self._parts.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: list[int]) -> str:
        """The text of these tokens; control tokens are shown as they are."""
        return self._parts.decode(list(tokens), skip_special_tokens=False)


def make_tokenizer(values: dict[str, Any], vocabulary: int) -> Tokenizer:
    """A tokenizer from the keys `tokenizer.ggml.…` of a GGUF file."""
    from tokenizers import AddedToken, decoders, models, pre_tokenizers
    from tokenizers import Tokenizer as Parts

    model, cutting = (str(values.get(f"tokenizer.ggml.{key}"))[:40] for key in ("model", "pre"))
    if model != "gpt2" or cutting not in DIGITS_APART:
        expected = " or ".join(map(repr, DIGITS_APART))
        raise ValueError(f"tokenizer: got {model!r} with {cutting!r}, expected 'gpt2' with {expected}")
    words, merges = values["tokenizer.ggml.tokens"], values.get("tokenizer.ggml.merges", [])
    kinds = values.get("tokenizer.ggml.token_type", [1] * vocabulary)
    try:
        numbers = {word: number for number, word in enumerate(words)}
        parts = Parts(models.BPE(numbers, [tuple(merge.split(" ")) for merge in merges]))
        control = [word for word, kind in zip(words, kinds, strict=True) if kind in CONTROL]
        parts.add_special_tokens([AddedToken(word, normalized=False, special=True) for word in control])
        fits = parts.get_vocab_size() == vocabulary
    except Exception:  # tokenizers raises nothing more precise, and words of another type fail anywhere
        fits = False
    if not fits:
        raise ValueError("tokenizer: got words, kinds and merges that don't fit together; the file is damaged")
    digits = [pre_tokenizers.Digits(individual_digits=True)] if DIGITS_APART[cutting] else []
    parts.pre_tokenizer = pre_tokenizers.Sequence([*digits, pre_tokenizers.ByteLevel(add_prefix_space=False)])
    parts.decoder = decoders.ByteLevel()
    end = values.get("tokenizer.ggml.eos_token_id")
    return Tokenizer(parts, end if isinstance(end, int) else None)
