"""From a GGUF file with Llama's layout and a GPT-2-style tokenizer to plain float32 arrays.

`make model` puts SmolLM2-135M-Instruct into a cache outside the course's folder. `SDPA_MODEL=/path/to/file.gguf` names
a file of your own.
"""

import math
import os
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from .gguf_header import Tensor, expect, read_header
from .llama import Layer, Model, Shape
from .tokens import make_tokenizer

FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
READERS = ("gguf", "tokenizers")  # packages, the extra `model`
MOST = 8e9  # bytes of float32; the weights of SmolLM2-1.7B are 6.8e9


def model_path() -> Path:
    """The file that `load` reads: what SDPA_MODEL names, or where `make model` puts SmolLM2."""
    if named := os.environ.get("SDPA_MODEL"):
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "sdpa_course" / FILE


def has_model() -> bool:
    """Is there a file to load, and what it takes to read it?"""
    return model_path().is_file() and all(map(find_spec, READERS))


def load(path: str | Path | None = None) -> Model:
    """Read a model: `model_path()` unless given. What can't be read gets an error of one sentence."""
    path = model_path() if path is None else Path(path)
    if not path.is_file():
        hint = "`make model` fetches one (93 MB, once), or set SDPA_MODEL to a GGUF file of your own"
        raise FileNotFoundError(f"{path}: got no such file, expected a model; {hint}")
    if not all(map(find_spec, READERS)):
        raise ImportError("gguf and tokenizers aren't both installed; run `make model`, which installs what it needs")
    import mmap  # here, because a browser's Python may not have it

    try:
        with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            values, tensors = read_header(data, "llama")
            shape = read_shape(values)
            check_tensors(tensors, shape)
            tokenizer = make_tokenizer(values, shape.vocabulary)
            return Model(shape, *read_weights(tensors, shape, data), tokenizer)
    except (ValueError, OSError) as problem:  # mmap's ValueError: the file is empty
        raise ValueError(f"{path}: {problem}") from None


def read_shape(values: dict[str, Any]) -> Shape:
    """The sizes of the model, each a number that can be one."""

    def positive(kind: type, key: str, default: Any = None) -> Any:
        value = values.get("llama." + key, default)
        good = type(value) is kind and 0 < value < 1 << 31
        expect(good, f"llama.{key}: got {str(value)[:40]}, expected a positive {kind.__name__}")
        return value

    d_model, heads = positive(int, "embedding_length"), positive(int, "attention.head_count")
    d_k = positive(int, "attention.key_length", d_model // heads)
    kv_heads = positive(int, "attention.head_count_kv", heads)
    expect(heads % kv_heads == 0, f"llama.attention.head_count_kv: got {kv_heads}, expected one that divides {heads}")
    expect(d_k % 2 == 0, f"llama.attention.key_length: got {d_k}, expected an even number")
    words = values.get("tokenizer.ggml.tokens")
    expect(isinstance(words, list) and len(words) > 0, "tokenizer.ggml.tokens: got none, expected a list of words")
    # What some Llamas have and the forward pass of this course doesn't.
    same = {"attention.value_length": d_k, "rope.dimension_count": d_k, "rope.scaling.type": "none", "expert_count": 0}
    for key, wanted in same.items():
        got = str(values.get("llama." + key, wanted))[:40]
        expect(got == str(wanted), f"llama.{key}: got {got}, expected {wanted}")
    return Shape(
        name=str(values.get("general.name", "a model without a name"))[:60],
        layers=positive(int, "block_count"),
        d_model=d_model,
        heads=heads,
        kv_heads=kv_heads,
        d_k=d_k,
        d_ff=positive(int, "feed_forward_length"),
        vocabulary=len(words),
        context=positive(int, "context_length"),
        base=positive(float, "rope.freq_base", 10000.0),
        epsilon=positive(float, "attention.layer_norm_rms_epsilon"),
    )


def check_tensors(tensors: dict[str, Tensor], s: Shape) -> None:
    """Exactly the tensors that the forward pass uses, in the right shapes, and not too many numbers for a memory."""
    expect(s.layers <= len(tensors), f"llama.block_count: got {s.layers}, expected no more than tensors")
    q, kv = s.heads * s.d_k, s.kv_heads * s.d_k
    one_layer = {
        **{"attn_norm": (s.d_model,), "ffn_norm": (s.d_model,)},
        **{"attn_q": (q, s.d_model), "attn_k": (kv, s.d_model), "attn_v": (kv, s.d_model)},
        **{"attn_output": (s.d_model, q), "ffn_down": (s.d_model, s.d_ff)},
        **{"ffn_gate": (s.d_ff, s.d_model), "ffn_up": (s.d_ff, s.d_model)},
    }
    expected = {"token_embd.weight": (s.vocabulary, s.d_model), "output_norm.weight": (s.d_model,)}
    for i in range(s.layers):
        expected |= {f"blk.{i}.{name}.weight": shape for name, shape in one_layer.items()}
    if "output.weight" in tensors:  # the matrix at the end, if it isn't the embedding again
        expected["output.weight"] = expected["token_embd.weight"]
    for name in [*expected, *tensors]:
        got, wanted = tensors.get(name, Tensor((), 0, 0, 0)).shape, expected.get(name, ())
        expect(got == wanted, f"{name[:60]}: got shape {got or 'none'}, expected {wanted or 'no such tensor'}")
    need = 4 * sum(math.prod(shape) for shape in expected.values())
    expect(need <= MOST, f"got a model of {need / 1e9:.0f} GB in float32, expected at most {MOST / 1e9:.0f} GB")


def read_weights(tensors: dict[str, Tensor], s: Shape, data: bytes) -> tuple[Any, ...]:
    """Embedding, layers, last norm, and the matrix at the end."""

    def read(name: str) -> np.ndarray:
        return dequantised(name, tensors[f"{name}.weight"], data)

    def layer(blk: str) -> Layer:
        q, k = half_split(read(blk + "attn_q"), s.d_k), half_split(read(blk + "attn_k"), s.d_k)
        return Layer(
            norm_attention=read(blk + "attn_norm"),
            w_qkv=np.concatenate([q, k, read(blk + "attn_v")]),
            w_o=read(blk + "attn_output"),
            norm_mlp=read(blk + "ffn_norm"),
            w_gate_up=np.concatenate([read(blk + "ffn_gate"), read(blk + "ffn_up")]),
            w_down=read(blk + "ffn_down"),
        )

    embedding = read("token_embd")
    head = read("output") if "output.weight" in tensors else embedding
    return embedding, tuple(layer(f"blk.{i}.") for i in range(s.layers)), read("output_norm"), head


def dequantised(name: str, tensor: Tensor, data: bytes) -> np.ndarray:
    """The numbers of one tensor in float32.

    gguf works on 16 rows at a time, which is slow if rows are short; to it, up to 64 of them look like one long row.
    """
    from gguf import GGMLQuantizationType
    from gguf.quants import dequantize

    kind, rows = GGMLQuantizationType(tensor.kind), math.prod(tensor.shape[:-1])
    raw = np.frombuffer(data[tensor.start : tensor.stop], dtype=np.uint8).reshape(rows // math.gcd(rows, 64), -1)
    try:
        with np.errstate(all="ignore"):  # damaged bytes can mean anything
            numbers = dequantize(raw, kind).astype(np.float32).reshape(tensor.shape)
            finite = np.isfinite(numbers.sum(dtype=np.float64))
    except NotImplementedError:
        raise ValueError(f"{name}: got number format {kind.name}, which gguf can't turn into float32") from None
    expect(bool(finite), f"{name}: got numbers that aren't finite; the file is damaged")
    return numbers


def half_split(w: np.ndarray, d_k: int) -> np.ndarray:
    """Undo llama.cpp's order of the rows of W_Q and W_K: pairs side by side -> first halves, then second halves.

    Rotary positions turn pairs of coordinates. llama.cpp stores the two of a pair next to each other; we pair i with
    i + d_k/2, as the model did when it was trained.
    """
    return w.reshape(-1, d_k // 2, 2, w.shape[-1]).swapaxes(1, 2).reshape(w.shape)
