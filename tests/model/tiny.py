"""A tiny model in a real GGUF file, and a slow forward pass on the file's own numbers, written out another way."""

import gguf
import numpy as np

SIZES = {"layers": 2, "d_model": 32, "heads": 6, "kv_heads": 3, "d_k": 10, "d_ff": 64}
WORDS = [bytes([i]) for i in range(256)] + [b"th", b"the", b"<end>"]
MERGES, END = ["t h", "th e"], 258
EPSILON, BASE = 1e-5, 500.0


def byte_letters() -> dict[int, str]:
    """GPT-2's letters for bytes: printable ones stand for themselves, the others come after 255."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return {byte: chr(byte) for byte in plain} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def draw_tensors(rng: np.random.Generator, tied: bool = True) -> dict[str, np.ndarray]:
    """Random weights with the names and shapes of Llama's."""
    D, F, q, kv = SIZES["d_model"], SIZES["d_ff"], SIZES["heads"] * SIZES["d_k"], SIZES["kv_heads"] * SIZES["d_k"]
    shapes = {"token_embd": (len(WORDS), D), "output_norm": (D,)} | ({} if tied else {"output": (len(WORDS), D)})
    for i in range(SIZES["layers"]):
        shapes |= {f"blk.{i}.attn_{name}": (rows, D) for name, rows in (("q", q), ("k", kv), ("v", kv))}
        shapes |= {f"blk.{i}.attn_output": (D, q), f"blk.{i}.attn_norm": (D,), f"blk.{i}.ffn_norm": (D,)}
        shapes |= {f"blk.{i}.ffn_gate": (F, D), f"blk.{i}.ffn_up": (F, D), f"blk.{i}.ffn_down": (D, F)}
    tensors = {}
    for name, shape in shapes.items():
        values = rng.standard_normal(shape) / (1 if len(shape) == 1 else np.sqrt(shape[-1]))
        tensors[name + ".weight"] = (1 + 0.1 * values if len(shape) == 1 else values).astype(np.float32)
    return tensors


def write_tiny(path, tensors, *, architecture="llama", kind=None, tokenizer="gpt2", pre="smollm", **keys) -> None:
    """A GGUF file; `kind` quantises the matrices whose rows are long enough."""
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_name("tiny")
    writer.add_block_count(SIZES["layers"])
    writer.add_context_length(100)
    writer.add_embedding_length(SIZES["d_model"])
    writer.add_feed_forward_length(SIZES["d_ff"])
    writer.add_head_count(SIZES["heads"])
    writer.add_head_count_kv(SIZES["kv_heads"])
    writer.add_key_length(SIZES["d_k"])
    writer.add_rope_freq_base(BASE)
    writer.add_layer_norm_rms_eps(EPSILON)
    for key, value in keys.items():
        writer.add_key_value(key.replace("__", "."), *value)
    letters = byte_letters()
    writer.add_tokenizer_model(tokenizer)
    writer.add_tokenizer_pre(pre)
    writer.add_token_list(["<end>" if i == END else "".join(letters[b] for b in word) for i, word in enumerate(WORDS)])
    writer.add_token_types([1] * END + [3])
    writer.add_token_merges(MERGES)
    writer.add_eos_token_id(END)
    for name, values in tensors.items():
        if kind is not None and values.ndim == 2 and values.shape[1] % 32 == 0:
            writer.add_tensor(name, gguf.quants.quantize(values, kind), raw_dtype=kind)
        else:
            writer.add_tensor(name, values)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def slow_logits(tensors, tokens, scale=None) -> np.ndarray:
    """Token by token and head by head, in float64; pairs side by side turn as complex numbers, as in llama.cpp."""
    d_k, group = SIZES["d_k"], SIZES["heads"] // SIZES["kv_heads"]
    w = {name.removesuffix(".weight"): values.astype(float) for name, values in tensors.items()}
    scale = 1 / np.sqrt(d_k) if scale is None else scale

    def norm(x, gain):
        return gain * x / np.sqrt((x**2).mean() + EPSILON)

    def turned(x, position):
        pairs = x[0::2] + 1j * x[1::2]
        return pairs * np.exp(1j * position * BASE ** (-2 * np.arange(d_k // 2) / d_k))

    xs = [w["token_embd"][token] for token in tokens]
    for i in range(SIZES["layers"]):
        blk, ks, vs, new = f"blk.{i}.", [], [], []
        for t, x in enumerate(xs):
            y = norm(x, w[blk + "attn_norm"])
            q = (w[blk + "attn_q"] @ y).reshape(-1, d_k)
            ks.append([turned(row, t) for row in (w[blk + "attn_k"] @ y).reshape(-1, d_k)])
            vs.append((w[blk + "attn_v"] @ y).reshape(-1, d_k))
            out = []
            for head, row in enumerate(q):
                scores = [scale * (turned(row, t) * k[head // group].conj()).real.sum() for k in ks]
                weights = np.exp(np.array(scores) - max(scores))
                out.append(sum(a * v[head // group] for a, v in zip(weights / weights.sum(), vs, strict=True)))
            x = x + w[blk + "attn_output"] @ np.concatenate(out)
            y = norm(x, w[blk + "ffn_norm"])
            gate = w[blk + "ffn_gate"] @ y
            new.append(x + w[blk + "ffn_down"] @ (gate / (1 + np.exp(-gate)) * (w[blk + "ffn_up"] @ y)))
        xs = new
    return np.array([w.get("output", w["token_embd"]) @ norm(x, w["output_norm"]) for x in xs])
