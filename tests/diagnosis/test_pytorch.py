"""`diagnose` on PyTorch: its own attention, modules, and textbook code on tensors, right and broken."""

import math

import pytest

from sdpa_course import diagnose


@pytest.fixture(autouse=True)
def one_thread(torch):
    """Hundreds of tiny calls: threads would only wait for each other."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


def test_pytorch_s_own_attention(torch):
    report = diagnose(torch.nn.functional.scaled_dot_product_attention)
    assert not report.problems
    assert report.scale.formula == "1/√d_k"
    assert "True = may attend" in report.mask.text
    assert "Numbers are added" in report.mask.text
    assert "top left" in report.causal.text
    assert "in blocks" in report.groups.text
    assert "scale= is the factor" in report.options.text


def multihead(torch):
    def make(d_model, num_heads):
        layer = torch.nn.MultiheadAttention(d_model, num_heads, bias=False, batch_first=True).eval()
        layer.load_state_dict(
            {"in_proj_weight": torch.eye(d_model).repeat(3, 1), "out_proj.weight": torch.eye(d_model)}
        )
        return lambda q, k, v: layer(q, k, v)[0]

    return make


def test_multihead_attention_from_a_factory_and_at_one_size(torch):
    report = diagnose(make=multihead(torch))
    assert not report.problems
    assert report.scale.formula == "1/√d_k"
    report = diagnose(multihead(torch)(512, 8), heads=8, d_k=64, d_v=64)
    assert not report.problems
    assert report.scale.formula is None
    assert "1/√d_k or 1/heads" in report.scale.text


def annotated(query, key, value, mask=None, dropout=None):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    weights = scores.softmax(dim=-1)
    return (weights if dropout is None else dropout(weights)) @ value, weights


def test_textbooks(torch):
    report = diagnose(annotated)
    assert not report.problems
    assert "replaced by -1e+09" in report.mask.text
    assert not diagnose(lambda q, k, v: annotated(q.float(), k.float(), v.float())).problems
    assert not diagnose(lambda q, k, v: annotated(q.bfloat16(), k.bfloat16(), v.bfloat16())[0]).problems


def test_modules(torch):
    class Attention(torch.nn.Module):
        def __init__(self, temperature):
            super().__init__()
            self.temperature, self.dropout = temperature, torch.nn.Dropout(0.1)

        def forward(self, q, k, v, mask=None):
            weights = torch.softmax(q / self.temperature @ k.transpose(2, 3), dim=-1)
            return self.dropout(weights) @ v, weights

    assert "dropout" in diagnose(Attention(8.0)).random.text
    report = diagnose(Attention(512**0.5).eval())
    assert report.scale.formula == "0.04419"
    assert "1/√512" in report.scale.text
    assert "mask= has no effect" in report.mask.text
    assert diagnose(make=lambda d_model: Attention(d_model**0.5).eval()).scale.formula == "1/√d_model"
    assert not diagnose(make=lambda d_k: Attention(d_k**0.5).eval()).scale.problem


def test_a_refusal_is_told_for_arrays_and_for_tensors(torch):
    def fixed(q, k, v):
        assert q.size(-1) == 64, "heads of width 64, please"
        return annotated(q, k, v)

    assert "AssertionError (heads of width 64, please" in diagnose(fixed).call.text
    assert diagnose(fixed, d_k=64).scale.problem is False


def head_of_a_lecture(torch, scale):
    """A layer that takes tokens x: the projections pick q, k and v out of x = [q | k | v]."""

    def make(d_model, d_k):
        def forward(q, k, v):
            x = torch.cat([q, k, v], dim=-1)  # (T, 3 d_k); a model's width, d_model, is passed on
            q, k, v = x.split(d_k, dim=-1)
            return torch.softmax(q @ k.transpose(-2, -1) * scale(d_model, d_k), dim=-1) @ v

        return forward

    return make


def test_a_layer_that_takes_tokens(torch):
    report = diagnose(make=head_of_a_lecture(torch, lambda d_model, d_k: d_model**-0.5))
    assert report.scale.formula == "1/√d_model"
    assert not diagnose(make=head_of_a_lecture(torch, lambda d_model, d_k: d_k**-0.5)).problems


def test_wrong_on_tensors(torch):
    attend = torch.nn.functional.scaled_dot_product_attention
    for scale, formula in (
        (lambda q: 1.0, "1"),
        (lambda q: 1 / q.shape[-1], "1/d_k"),
        (lambda q: (q.shape[1] * q.shape[-1]) ** -0.5, "1/√d_model"),
    ):
        report = diagnose(lambda q, k, v, scale=scale: attend(q, k, v, scale=scale(q)))
        assert report.scale.formula == formula, report
        low = diagnose(lambda q, k, v, s=scale: attend(q.bfloat16(), k.bfloat16(), v.bfloat16(), scale=s(q)))
        assert low.scale.formula == formula, low

    def over_queries(q, k, v):
        scores = torch.einsum("bihd,bjhd->bijh", q, k) * q.shape[-1] ** -0.5
        return torch.einsum("bijh,bjhd->bihd", scores.softmax(dim=1), v)

    assert "over queries" in diagnose(over_queries).softmax.text

    def in_place(q, k, v):
        return attend(q.mul_(2), k, v)

    assert {problem.split(":")[0] for problem in diagnose(in_place).problems} == {"inputs", "scale"}
