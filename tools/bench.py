"""Measure the kernels against PyTorch and plain NumPy, and write docs/benchmarks.md.

    python -m tools.bench                    everything
    python -m tools.bench call step          only these sections; the others stay as they are

Contestants take turns: each round times every one of them once, right after an untimed call, so that a busy moment of
the machine hits them all. Ratios are ratios of medians over the rounds. PyTorch is measured at its best: for a single
call, with its defaults in the same process as our kernels; for a training step, at every setting in its own process.
"""

import math
import os
import platform
import re
import statistics
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import torch

import sdpa_course
from sdpa_course.experiments.speed import time_interleaved

from .bench_grading import STUDENTS, grading_times
from .bench_sliders import slider_times
from .bench_spread import STUDENTS as CLASS
from .bench_spread import in_a_process
from .bench_training import step_times
from .chrome import find_browser

LENGTHS = {512: 40, 2048: 15, 4096: 9}  # tokens: rounds
ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "benchmarks.md"
cores = ThreadPoolExecutor(os.cpu_count())


def bare(q, k, v):
    """Attention in six lines of NumPy, without any checks or options."""
    scores = q @ k.swapaxes(-1, -2)
    scores = scores * (1 / math.sqrt(q.shape[-1]))
    scores = scores - scores.max(axis=-1, keepdims=True)
    weights = np.exp(scores)
    weights = weights / weights.sum(axis=-1, keepdims=True)
    return weights @ v


def floor(q, k, v):
    """The least NumPy has to do: two matrix products, and one exp spread over the cores. Not attention yet."""
    scores = q @ k.swapaxes(-1, -2)
    list(cores.map(lambda part: np.exp(part, out=part), np.array_split(scores.reshape(-1), os.cpu_count())))
    return scores @ v


def textbook(q, k, v, causal=False, root=np.sqrt):
    """Attention as textbooks write it: all scores at once, one operation after another.

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
    """Rows `(tokens, causal, median seconds of each contestant)` for shapes (1, 8, T, 64) in float32."""
    for T, rounds in LENGTHS.items():
        q, k, v = draw(1, 8, T, 64)
        for causal in (False, True):
            difference = np.abs(sdpa_course.attention(q, k, v, causal=causal) - fused(q, k, v, causal)).max()
            if not difference < 1e-5:
                sys.exit(f"sdpa-course: our result and PyTorch's differ by {difference} at T = {T}, causal = {causal}")
            ours = partial(sdpa_course.attention, q, k, v, causal=causal)
            # Two matches: plain NumPy's large arrays and BLAS threads would disturb the one with PyTorch.
            peers = {"ours": ours, "PyTorch": partial(fused, q, k, v, causal)}
            plain = {"ours beside NumPy": ours}
            if T <= 512 and not causal:
                plain["floor"] = partial(floor, q, k, v)
            if T <= 2048:
                plain["textbook"] = partial(textbook, q, k, v, causal)
                plain["float32"] = partial(textbook, q, k, v, causal, math.sqrt)
            yield T, causal, medians(time_interleaved(peers, rounds) | time_interleaved(plain, rounds))


def times_alone() -> dict[str, float]:
    """Median seconds at T = 512 of each by itself, after all threads have gone to sleep."""
    q, k, v = draw(1, 8, 512, 64)
    found = {}
    for name, function in {"`attention`": sdpa_course.attention, "PyTorch": fused}.items():
        time.sleep(0.5)
        found |= medians(time_interleaved({name: partial(function, q, k, v)}, 40))
    return found


def medians(timings: dict) -> dict[str, float]:
    return {name: timing.median for name, timing in timings.items()}


def tiny() -> dict[str, float]:
    """Seconds per call on (1, 4, 8, 16), timed a hundred at a time because one call is close to the clock's noise."""
    q, k, v = draw(1, 4, 8, 16)
    in_numpy = {"ours": sdpa_course.attention, "bare": bare, "textbook": textbook}

    def time_hundred(functions):
        calls = {name: lambda f=f: [f(q, k, v) for _ in range(100)] for name, f in functions.items()}
        return {name: seconds / 100 for name, seconds in medians(time_interleaved(calls, rounds=30)).items()}

    # PyTorch last and alone: its threads spin on after a call, for longer than all of the others take.
    return time_hundred(in_numpy) | time_hundred({"PyTorch": fused})


def extra_memory(function: str, T: int) -> float:
    """MiB by which the peak memory of a fresh process grows during one call, output included."""
    run = [sys.executable, "-m", "tools.bench", "memory", "of", function, str(T)]
    return float(subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def measure_memory(function: str, T: int) -> None:
    call = {"ours": sdpa_course.attention, "PyTorch": fused}[function]
    call(*draw(1, 8, 256, 64))  # load libraries, start threads and allocate their scratch memory
    q, k, v = draw(1, 8, T, 64)
    Path("/proc/self/clear_refs").write_text("5")  # on Linux, this resets the peak
    before = memory_in_use("VmRSS")
    call(q, k, v)
    print((memory_in_use("VmHWM") - before) / 1024)


def memory_in_use(field: str) -> int:
    """A memory figure of this process in KiB, as Linux reports it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(field + ":")[1].split()[0])


def sweep_speed(workers: int) -> float:
    """Runs per second, in a fresh Python: a sweep's workers import what the main module imports, here PyTorch."""
    code = f"from tools.bench_training import sweep_speed; print(sweep_speed({workers}))"
    run = [sys.executable, "-c", code]
    return float(subprocess.run(run, capture_output=True, text=True, check=True, cwd=ROOT).stdout)


def import_times(rounds: int = 15) -> dict[str, float]:
    """Median seconds of each import in a fresh Python, taking turns."""
    code = "import time; s = time.perf_counter(); {}; print(time.perf_counter() - s)"
    statements = ("import numpy", "import sdpa_course")
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


def tiny_call():
    t = tiny()
    yield "## The tiny call, shape (1, 4, 8, 16)"
    yield ""
    yield "Six bare lines of NumPy, without any check or option, against everything that `attention` looks after."
    yield ""
    yield "| `attention` | six bare lines | PyTorch fused | textbook NumPy | ours ÷ bare |"
    yield "|---|---|---|---|---|"
    times = " | ".join(f"{t[name] * 1e6:.0f} µs" for name in ("ours", "bare", "PyTorch", "textbook"))
    yield f"| {times} | {t['ours'] / t['bare']:.2f} |"


def call():
    yield "## Time of one call, shape (1, 8, T, 64)"
    yield ""
    yield "PyTorch runs at its default settings. The floor is two matrix products and one exp spread over the cores,"
    yield "with no softmax yet. The textbook divides by `np.sqrt(d_k)`, which turns float32 into float64 along the"
    yield "way; in brackets, with `math.sqrt`, which doesn't."
    yield ""
    yield "| T | causal | `attention` | PyTorch | textbook NumPy | ours ÷ PyTorch | ours ÷ floor | textbook ÷ ours |"
    yield "|---|---|---|---|---|---|---|---|"
    for T, causal, t in speed():
        ms = {name: f"{seconds * 1e3:.1f} ms" for name, seconds in t.items()}
        book = gain = "–"
        if "textbook" in t:
            book = f"{ms['textbook']} ({ms['float32']})"
            gain, gain_32 = (t[name] / t["ours beside NumPy"] for name in ("textbook", "float32"))
            gain = f"{gain:.1f} ({gain_32:.1f})"
        least = f"{t['ours beside NumPy'] / t['floor']:.2f}" if "floor" in t else "–"
        row = f"| {T} | {'yes' if causal else 'no'} | {ms['ours']} | {ms['PyTorch']} | {book} "
        yield row + f"| {t['ours'] / t['PyTorch']:.2f} | {least} | {gain} |"
    yield ""
    alone = " and ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in times_alone().items())
    yield "After a call both sides' threads spin for milliseconds on the cores that the other one needs, which counts"
    yield f"at T = 512. There, alone and with no other threads awake, plain calls take: {alone}."


def step():
    t = step_times()
    ours = t.pop("ours")
    yield "## One training step: single head, batch 4, n = 64, d_k = 64, SGD"
    yield ""
    yield "Everything in its own process. An earlier version of this page said that our step takes 0.24 of"
    yield "PyTorch's time. That was wrong: it had set a waiting policy that slows PyTorch down on two threads. Now"
    yield "PyTorch is measured at each of its settings, and the fastest one counts."
    yield ""
    yield "| | time | ours ÷ it |"
    yield "|---|---|---|"
    yield f"| notebook 09's model | {ours * 1e6:.0f} µs | |"
    for name, seconds in sorted(t.items(), key=lambda pair: pair[1]):
        yield f"| {name} | {seconds * 1e6:.0f} µs | {ours / seconds:.2f} |"


def sweep():
    one, two = sweep_speed(1), sweep_speed(2)
    yield "## A sweep: 12 runs of 600 such steps"
    yield ""
    yield "| 1 worker | 2 workers | 2 ÷ 1 |"
    yield "|---|---|---|"
    yield f"| {one:.2f} runs per second | {two:.2f} runs per second | {two / one:.2f} |"


def memory():
    yield "## Extra memory of one call at 16,384 tokens, shape (1, 8, 16384, 64)"
    yield ""
    yield "How much the process's peak memory grows. The output alone is 32 MiB; all scores at once would be 8,192."
    yield ""
    yield "| `attention` | PyTorch fused |"
    yield "|---|---|"
    yield f"| {extra_memory('ours', 16384):.0f} MiB | {extra_memory('PyTorch', 16384):.0f} MiB |"


def sliders():
    yield "## Sliders: from a key press to the new picture, in JupyterLab in a browser"
    yield ""
    if find_browser() is None:
        yield "Not measured: no Chrome or Chromium was found."
        return
    yield "40 moves of the first control each. The kernel's share is computing and drawing; the rest is JupyterLab's."
    yield ""
    yield "| slider | median | kernel's share | 95th percentile | kernel's share |"
    yield "|---|---|---|---|---|"
    for name, *times in slider_times():
        yield f"| `{name}` | " + " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in times) + " |"


def grading():
    yield f"## Grading {STUDENTS} submissions of ps03"
    yield ""
    yield "`sdpa-course grade` runs each one in a sandbox and writes the gradebook, the feedback and a CSV file."
    yield ""
    t = grading_times()
    yield "| `sdpa-course grade` | `nbgrader autograde` | with `generate_feedback` | ours ÷ autograde | ours ÷ both |"
    yield "|---|---|---|---|---|"
    ratios = (t["ours"] / t["autograde"], t["ours"] / t["autograde and feedback"])
    yield "| " + " | ".join([*(f"{s:.0f} s" for s in t.values()), *(f"{ratio:.2f}" for ratio in ratios)]) + " |"


def spread():
    yield f"## Grading {CLASS} submissions of ps03 on a Dask cluster that loses a worker"
    yield ""
    yield "One of two workers is killed half-way, and Dask starts it again; both gradebooks must be the same. Memory is"
    yield "the most that all processes had together, students' and the scheduler's too, with shared pages counted once."
    yield ""
    t = in_a_process("cluster", CLASS)
    yield "| | time | memory |"
    yield "|---|---|---|"
    for name, where in (("here", "two threads here"), ("Dask", "two Dask workers on this machine")):
        yield f"| {where} | {t[name][0]:.0f} s | {t[name][1] / 2**20:.0f} MiB |"
    yield ""
    yield "What one submission takes, alone:"
    yield ""
    t = in_a_process("parts", CLASS)
    yield "| " + " | ".join(t) + " |"
    yield "|" + "---|" * len(t)
    yield "| " + " | ".join(f"{seconds * 1e3:.0f} ms" for seconds in t.values()) + " |"


def imports():
    t = import_times()
    yield "## Import"
    yield ""
    yield "| statement | time | ÷ `import numpy` |"
    yield "|---|---|---|"
    for statement, seconds in t.items():
        yield f"| `{statement}` | {seconds * 1e3:.0f} ms | {seconds / t['import numpy']:.2f} |"


SECTIONS = (tiny_call, call, step, sweep, memory, sliders, grading, spread, imports)


def report(names: list[str]):
    """The page, line by line, as the numbers come in. Sections that weren't asked for stay as they are."""
    _, *kept = re.split(r"^(?=## )", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)
    yield "# Benchmarks"
    yield ""
    yield "Written by `make bench`. Times depend on the machine and the moment; the ratios are what to look at."
    yield ""
    yield f"{processor()}, {os.cpu_count()} cores, {platform.system()}; Python {platform.python_version()}, "
    yield f"NumPy {np.__version__}, PyTorch {torch.__version__} with {torch.get_num_threads()} threads; float32."
    for number, section in enumerate(SECTIONS):
        yield ""
        if names and section.__name__ not in names:
            yield kept[number].strip()
        else:
            yield from section()


if __name__ == "__main__":
    if sys.argv[1:3] == ["memory", "of"]:
        measure_memory(sys.argv[3], int(sys.argv[4]))
    else:
        unknown = set(sys.argv[1:]) - {section.__name__ for section in SECTIONS}
        if unknown:
            sys.exit(f"sdpa-course: got {', '.join(unknown)}, expected {', '.join(s.__name__ for s in SECTIONS)}")
        lines = []
        for line in report(sys.argv[1:]):
            print(line, flush=True)
            lines.append(line)
        PAGE.write_text("\n".join(lines) + "\n", encoding="utf-8")
