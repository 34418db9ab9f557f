"""Measure the kernels beside PyTorch and textbook NumPy, in one run; write docs/benchmarks.md.

Everything is interleaved: each round calls every contestant once, after a call of it that does not count,
so that a busy moment of the machine hits all of them. Ratios are of medians over the rounds.
"""

import math
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

# After a call PyTorch's threads go on spinning for about 20 ms, on the cores that the next contestant needs.
# Its own times are the same with and without.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

import numpy as np
import torch

import sdpa_course
from sdpa_course.experiments.speed import interleave

from .bench_grading import STUDENTS, grading_times
from .bench_sliders import slider_times
from .bench_training import step_times
from .chrome import find_browser

LENGTHS = {512: 40, 2048: 9, 4096: 7}  # tokens: rounds
ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"


def textbook(q, k, v, causal=False, root=np.sqrt):
    """Attention as it stands in a textbook: all scores at once, one operation after the other.

    `np.sqrt(64)` is a float64, so from that line on NumPy computes in float64; `root=math.sqrt` avoids it.
    """
    scores = q @ k.swapaxes(-1, -2) / root(q.shape[-1])
    if causal:
        scores = np.where(np.tri(q.shape[-2], dtype=bool), scores, -np.inf)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return (scores / scores.sum(axis=-1, keepdims=True)) @ v


def fused(q, k, v, causal=False):
    """PyTorch's fused kernel on the same memory."""
    with torch.no_grad():
        tensors = (torch.from_numpy(x) for x in (q, k, v))
        return torch.nn.functional.scaled_dot_product_attention(*tensors, is_causal=causal).numpy()


def draw(*shape):
    rng = np.random.default_rng(0)
    return [rng.standard_normal(shape, dtype=np.float32) for _ in range(3)]


def speed():
    """Rows `(tokens, causal, milliseconds of each, ratios)` for shapes (1, 8, T, 64) in float32."""
    for T, rounds in LENGTHS.items():
        q, k, v = draw(1, 8, T, 64)
        for causal in (False, True):
            difference = np.abs(sdpa_course.attention(q, k, v, causal=causal) - fused(q, k, v, causal)).max()
            if not difference < 1e-5:
                sys.exit(f"bench: the results differ by {difference} at T = {T}, causal = {causal}")
            contestants = {
                "ours": lambda q=q, k=k, v=v, c=causal: sdpa_course.attention(q, k, v, causal=c),
                "PyTorch": lambda q=q, k=k, v=v, c=causal: fused(q, k, v, c),
            }
            if T <= 2048:
                contestants["textbook"] = lambda q=q, k=k, v=v, c=causal: textbook(q, k, v, c)
                contestants["float32"] = lambda q=q, k=k, v=v, c=causal: textbook(q, k, v, c, math.sqrt)
            yield T, causal, medians(interleave(contestants, rounds))


def medians(timings: dict) -> dict[str, float]:
    return {name: timing.median for name, timing in timings.items()}


def tiny() -> dict[str, float]:
    """Seconds of one call on (1, 4, 8, 16): a hundred at a time, as a single one is near the clock's own noise."""
    q, k, v = draw(1, 4, 8, 16)
    functions = {"ours": sdpa_course.attention, "PyTorch": fused, "textbook": textbook}

    def hundred(function):
        return lambda: [function(q, k, v) for _ in range(100)]

    times = medians(interleave({name: hundred(function) for name, function in functions.items()}, rounds=30))
    return {name: seconds / 100 for name, seconds in times.items()}


def extra_memory(function: str, T: int) -> float:
    """MiB by which the peak memory of a fresh process grows during one call, output included."""
    run = [sys.executable, "-m", "tools.bench", "memory", function, str(T)]
    return float(subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def measure_memory(function: str, T: int) -> None:
    call = {"ours": sdpa_course.attention, "PyTorch": fused}[function]
    call(*draw(1, 8, 256, 64))  # libraries, threads and their scratch memory are there
    q, k, v = draw(1, 8, T, 64)
    Path("/proc/self/clear_refs").write_text("5")  # Linux: the peak counts from here
    before = memory_in_use("VmRSS")
    call(q, k, v)
    print((memory_in_use("VmHWM") - before) / 1024)


def memory_in_use(field: str) -> int:
    """KiB, from what Linux says about this process."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(field + ":")[1].split()[0])


def sweep_speed(workers: int) -> float:
    """Runs in a second, in a fresh Python: the workers of a sweep import what its main module imports, here PyTorch."""
    code = f"from tools.bench_training import sweep_speed; print(sweep_speed({workers}))"
    run = [sys.executable, "-c", code]
    return float(subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def import_times(rounds: int = 15) -> dict[str, float]:
    """Median seconds of each import in a fresh Python, in turn; names of the course load when they are asked for."""
    code = "import time; s = time.perf_counter(); {}; print(time.perf_counter() - s)"
    statements = (
        "import numpy",
        "import sdpa_course",
        "from sdpa_course import attention",
        "from sdpa_course import *",
    )
    times = {statement: [] for statement in statements}
    for _ in range(rounds):
        for statement, values in times.items():
            run = [sys.executable, "-c", code.format(statement)]
            values.append(float(subprocess.run(run, capture_output=True, text=True, check=True).stdout))
    return {statement: statistics.median(values) for statement, values in times.items()}


def processor() -> str:
    info = Path("/proc/cpuinfo")
    names = [line.split(":")[1].strip() for line in info.read_text().splitlines() if line.startswith("model name")]
    return names[0] if names else platform.processor()


def report():
    """The page, line by line, as the numbers come in."""
    yield "# Benchmarks"
    yield ""
    yield "Written by `make bench`. Times depend on the machine and the moment; the ratios are what to look at."
    yield ""
    yield f"{processor()}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, "
    yield f"NumPy {np.__version__}, PyTorch {torch.__version__} with {torch.get_num_threads()} threads; float32."
    yield ""
    yield "## Time of one call, shape (1, 8, T, 64)"
    yield ""
    yield "The textbook divides by `np.sqrt(d_k)`, which turns float32 into float64 on the way; in brackets with"
    yield "`math.sqrt`, which does not."
    yield ""
    yield "| T | causal | `attention` | PyTorch fused | textbook NumPy | ours ÷ PyTorch | textbook ÷ ours |"
    yield "|---|---|---|---|---|---|---|"
    for T, causal, t in speed():
        ms = {name: f"{seconds * 1e3:.1f} ms" for name, seconds in t.items()}
        book = gain = "–"
        if "textbook" in t:
            book = f"{ms['textbook']} ({ms['float32']})"
            gain = f"{t['textbook'] / t['ours']:.1f} ({t['float32'] / t['ours']:.1f})"
        row = f"| {T} | {'yes' if causal else 'no'} | {ms['ours']} | {ms['PyTorch']} | {book} "
        yield row + f"| {t['ours'] / t['PyTorch']:.2f} | {gain} |"
    yield ""
    yield "## The tiny call, shape (1, 4, 8, 16)"
    yield ""
    t = tiny()
    yield "| `attention` | PyTorch fused | textbook NumPy |"
    yield "|---|---|---|"
    yield f"| {t['ours'] * 1e6:.0f} µs | {t['PyTorch'] * 1e6:.0f} µs | {t['textbook'] * 1e6:.0f} µs |"
    yield ""
    yield "## One training step: single head, batch 4, n = 64, d_k = 64, SGD"
    yield ""
    t = medians(step_times())
    yield "| notebook 09's model | PyTorch eager | PyTorch eager, fused attention | ours ÷ eager | ours ÷ fused |"
    yield "|---|---|---|---|---|"
    times = " | ".join(f"{seconds * 1e6:.0f} µs" for seconds in t.values())
    yield f"| {times} | {t['ours'] / t['PyTorch']:.2f} | {t['ours'] / t['PyTorch fused']:.2f} |"
    yield ""
    yield "## A sweep: 12 runs of 600 such steps"
    yield ""
    one, two = sweep_speed(1), sweep_speed(2)
    yield "| 1 worker | 2 workers | 2 ÷ 1 |"
    yield "|---|---|---|"
    yield f"| {one:.2f} runs a second | {two:.2f} runs a second | {two / one:.2f} |"
    yield ""
    yield "## Extra memory of one call at 16 384 tokens, shape (1, 8, 16384, 64)"
    yield ""
    yield "Growth of the process's peak memory. The output itself takes 32 MiB, all scores at once would take 8192 MiB."
    yield ""
    yield "| `attention` | PyTorch fused |"
    yield "|---|---|"
    yield f"| {extra_memory('ours', 16384):.0f} MiB | {extra_memory('PyTorch', 16384):.0f} MiB |"
    yield ""
    yield "## Sliders: from a key press to the new picture, in JupyterLab in a browser"
    yield ""
    if find_browser() is None:
        yield "Not measured: no Chrome or Chromium was found."
    else:
        yield "40 moves of the first control each; the kernel's share is computing and drawing, the rest JupyterLab's."
        yield ""
        yield "| slider | median | kernel's share | 95th percentile | kernel's share |"
        yield "|---|---|---|---|---|"
        for name, *times in slider_times():
            yield f"| `{name}` | " + " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in times) + " |"
    yield ""
    yield f"## Grading {STUDENTS} submissions of ps03"
    yield ""
    yield "`sdpa-course grade` runs each in a sandbox and writes gradebook, feedback and CSV."
    yield ""
    t = grading_times()
    yield "| `sdpa-course grade` | `nbgrader autograde` | with `generate_feedback` | ours ÷ autograde | ours ÷ both |"
    yield "|---|---|---|---|---|"
    ratios = (t["ours"] / t["autograde"], t["ours"] / t["autograde and feedback"])
    yield "| " + " | ".join([*(f"{s:.0f} s" for s in t.values()), *(f"{ratio:.2f}" for ratio in ratios)]) + " |"
    yield ""
    yield "## Import"
    yield ""
    yield "| statement | time | ÷ `import numpy` |"
    yield "|---|---|---|"
    t = import_times()
    for statement, seconds in t.items():
        yield f"| `{statement}` | {seconds * 1e3:.0f} ms | {seconds / t['import numpy']:.2f} |"


if __name__ == "__main__":
    if sys.argv[1:2] == ["memory"]:
        measure_memory(sys.argv[2], int(sys.argv[3]))
    else:
        lines = []
        for line in report():
            print(line, flush=True)
            lines.append(line)
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
