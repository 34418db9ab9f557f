"""Compare the language model with Hugging Face transformers, which reads the same file, and store its answers.

    python -m tools.model_oracle reference   all logits of ten texts, greedy text, tokens; tests/model/reference.json
    python -m tools.model_oracle times       tokens a second, time to the first token, both in turn, on as many cores;
                                             on a busy machine set OMP_NUM_THREADS=1, and it measures processor time

transformers isn't one of the course's extras. Run this in an environment of its own (torch, transformers, accelerate,
gguf, tokenizers, threadpoolctl), in the course's folder. The tests compare with the stored answers and need none of it.
"""

import hashlib
import json
import statistics
import sys
import time
from pathlib import Path

import numpy as np

from sdpa_course.model import load, logits, model_path, new_cache, next_tokens
from tests.model.texts import PROMPT, TEXTS, random_strings

REFERENCE = Path(__file__).parent.parent / "tests" / "model" / "reference.json"


def open_both():
    """Our model, transformers' model and its tokenizer, from the same file."""
    import torch
    from tokenizers import pre_tokenizers
    from transformers import AutoModelForCausalLM, AutoTokenizer

    folder, name = model_path().parent, model_path().name
    peer = AutoModelForCausalLM.from_pretrained(folder, gguf_file=name, dtype=torch.float32).eval()
    tokenizer = AutoTokenizer.from_pretrained(folder, gguf_file=name)
    # transformers leaves out what the file says about digits (tokenizer.ggml.pre = smollm): each is a piece of its own.
    apart = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(apart)
    torch.set_grad_enabled(False)
    return load(), peer, lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]


def digest(tokens: list[list[int]]) -> str:
    """A fingerprint of many lists of tokens."""
    return hashlib.sha256(json.dumps(tokens).encode()).hexdigest()


def reference() -> None:
    """Print how far apart the two are, and store transformers' answers."""
    import torch

    model, peer, encode = open_both()
    rng, stored = np.random.default_rng(0), []
    for text in TEXTS:
        tokens = encode(text)
        theirs = peer(torch.tensor([tokens])).logits[0].numpy()
        ours, cache = logits(model, tokens), new_cache(model)
        steps = np.concatenate([logits(model, [token], cache) for token in tokens])
        gaps = np.abs(ours - theirs).max(), np.abs(steps - theirs).max()
        print(f"{len(tokens):4} tokens: gap {gaps[0]:.1e}, token by token {gaps[1]:.1e}, largest {theirs.max():.1f}")
        at = sorted({0, len(tokens) // 2, len(tokens) - 1})
        words = np.unique([*theirs[at].argsort(axis=-1)[:, -8:].ravel(), *rng.integers(0, theirs.shape[-1], 24)])
        picked = theirs[np.ix_(at, words)].astype(float).round(5)
        stored.append({"tokens": tokens, "at": at, "words": words.tolist(), "logits": picked.tolist()})
    prompt = torch.tensor([encode(PROMPT)])
    theirs = peer.generate(prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=100, do_sample=False)
    greedy = theirs[0, prompt.shape[1] :].tolist()
    ours = [token for _, token in zip(greedy, next_tokens(model, prompt[0].tolist()), strict=False)]
    print(f"greedy text: {len(greedy)} tokens, {'the same' if ours == greedy else 'different'}")
    print(model.tokenizer.decode(greedy))
    strings = random_strings()
    theirs = [encode(string) for string in strings]
    different = sum(model.tokenizer.encode(a) != b for a, b in zip(strings, theirs, strict=True))
    print(f"tokenizer: {different} of {len(strings)} random strings different")
    answers = {"texts": stored, "greedy": greedy, "strings": digest(theirs)}
    REFERENCE.write_text(json.dumps(answers) + "\n", encoding="utf-8")


def times(rounds: int = 7, prompt: int = 512, steps: int = 8) -> None:
    """One after the other, round by round, because other work on the machine slows both: compare the ratios."""
    import torch

    model, peer, encode = open_both()
    tokens = (encode(TEXTS[-1]) * 2)[:prompt]
    clock = time.process_time if torch.get_num_threads() == 1 else time.perf_counter

    def ours():
        cache, start = new_cache(model), clock()
        token = int(logits(model, tokens, cache, last=True)[0].argmax())
        first, start = clock() - start, clock()
        for _ in range(steps):
            token = int(logits(model, [token], cache, last=True)[0].argmax())
        return first, steps / (clock() - start)

    def theirs():
        start = clock()
        out = peer(torch.tensor([tokens]), use_cache=True, logits_to_keep=1)
        token, cache = int(out.logits[0, -1].argmax()), out.past_key_values
        first, start = clock() - start, clock()
        for _ in range(steps):
            out = peer(torch.tensor([[token]]), past_key_values=cache, use_cache=True)
            token = int(out.logits[0, -1].argmax())
        return first, steps / (clock() - start)

    ours(), theirs()
    rows = []
    for _ in range(rounds):
        a, b = ours(), theirs()
        rows.append((*a, *b, b[0] / a[0], a[1] / b[1]))
        print(f"first token {a[0]:.2f} s and {b[0]:.2f} s; {a[1]:.1f} and {b[1]:.1f} tokens/s", flush=True)
    best = min(r[0] for r in rows), min(r[2] for r in rows), max(r[1] for r in rows), max(r[3] for r in rows)
    print(f"threads of PyTorch: {torch.get_num_threads()}, tokens in the prompt: {len(tokens)}")
    print("best: first token {:.2f} s and {:.2f} s; {:.1f} and {:.1f} tokens/s".format(*best))
    for name, column in (("first token", 4), ("tokens/s", 5)):
        ratios = [row[column] for row in rows]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f} in {rounds} rounds"
        print(f"how many times as fast as transformers, {name}: {statistics.median(ratios):.2f} ({spread})")


if __name__ == "__main__":
    {"reference": reference, "times": times}[sys.argv[1]](*map(int, sys.argv[2:]))
