"""PyTorch's answer to a setting: values, and gradients from its autograd."""

import numpy as np

from sdpa_course.verify.reference import may_attend


def torch_attention(torch, q, k, v, dout, *, mask, causal, scale, softcap, window, offset):
    """`(out, dq, dk, dv)` as NumPy arrays, from PyTorch's fused function wherever it has the keyword."""
    q, k, v = (torch.tensor(x, requires_grad=True) for x in (q, k, v))
    bias = torch.tensor(additive_mask(tuple(q.shape), k.shape[-2], mask, causal, window, offset))
    dead = torch.isinf(bias).all(dim=-1, keepdim=True)  # rows that see nothing
    bias = torch.where(dead, 0.0, bias)
    group = q.shape[-3] // k.shape[-3] if q.ndim > 2 else 1
    if softcap is None:
        out = torch.nn.functional.scaled_dot_product_attention(
            q, k, v, attn_mask=bias, scale=scale, enable_gqa=q.ndim > 2
        )
    else:
        k_full, v_full = (x.repeat_interleave(group, dim=-3) if q.ndim > 2 else x for x in (k, v))
        scores = q @ k_full.transpose(-1, -2) * (q.shape[-1] ** -0.5 if scale is None else scale)
        out = torch.softmax(softcap * torch.tanh(scores / softcap) + bias, dim=-1) @ v_full
    out = torch.where(dead, 0.0, out)
    out.backward(torch.tensor(dout))
    return out.detach().numpy(), q.grad.numpy(), k.grad.numpy(), v.grad.numpy()


def additive_mask(q_shape, Tk, mask, causal, window, offset):
    """Everything that hides, as one array to add to the scores."""
    *lead, Tq, _ = q_shape
    bias = np.zeros((*lead, Tq, Tk))
    if mask is not None:
        bias = bias + (np.where(mask, 0.0, -np.inf) if mask.dtype == bool else mask)
    offsets = np.broadcast_to(offset, lead[:-1])
    for index in np.ndindex(*lead[:-1]):
        for i in range(Tq):
            for j in range(Tk):
                if not may_attend(i, j, causal=causal, window=window, offset=int(offsets[index])):
                    bias[(*index, ..., i, j)] = -np.inf
    return bias
