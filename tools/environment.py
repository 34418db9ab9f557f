"""Create the environment that the other commands run in, or say in one sentence what's missing.

    python3 tools/environment.py install lab          .venv with the package and its extra `lab`
    python3 tools/environment.py install classroom    also the grader, which is a separate package
    python3 tools/environment.py lock                 rewrite constraints.txt with the newest versions

Does nothing when .venv is up to date.

Why not uv, tox or nox: they would have to be installed first, and this has to work with nothing but a reader's Python.
It uses only the standard library, and old syntax on purpose: an old Python must get as far as being told it's too old.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys

OLDEST = (3, 11)
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
VENV = os.path.join(ROOT, ".venv")
CONSTRAINTS = os.path.join(ROOT, "constraints.txt")
STAMP = os.path.join(VENV, "sdpa-course.json")
EXTRAS = ["lab", "check", "tests", "homework", "lectures", "site", "torch", "dask", "model"]
CLASSROOM = "classroom"  # the folder of the second distribution
NO_NETWORK = re.compile(
    "name resolution|name or service not known|connection (refused|reset|aborted|broken)|network is unreachable"
    "|timed out|max retries|failed to establish|proxyerror|cannot connect|no address associated",
    re.IGNORECASE,
)


def fail(sentence):
    sys.exit("sdpa-course: " + sentence)


def say(sentence):
    print("sdpa-course: " + sentence, flush=True)


def check_python():
    """Stop if Python is too old or has no venv module."""
    if sys.version_info < OLDEST:
        fail(
            "Python {}.{} or newer is needed, but {} is {}.{}; install a newer one, or choose one with "
            "make PYTHON=/path/to/python3".format(*(OLDEST + (sys.executable,) + tuple(sys.version_info[:2])))
        )
    try:
        import ensurepip  # noqa: F401
        import venv  # noqa: F401
    except ImportError:
        fail(
            f"{sys.executable} has no venv module; install it (on Debian and Ubuntu: apt-get install python3-venv), "
            "or choose another Python with make PYTHON=/path/to/python3"
        )


def python_of(venv):
    return os.path.join(venv, "Scripts" if os.name == "nt" else "bin", "python")


def works(venv):
    """Whether the environment's Python runs, has the right version, and has pip."""
    probe = f"import sys, pip; print(sys.version_info[:2] == {tuple(sys.version_info[:2])})"
    try:
        answer = subprocess.run([python_of(venv), "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError:
        return False
    return answer.stdout.strip() == b"True"


def create(venv):
    if works(venv):
        return
    if os.path.exists(venv):
        say(f"{venv} doesn't work with this Python (it was moved, or is incomplete); creating it again")
        shutil.rmtree(venv)
    say("creating the environment {} with Python {}.{}".format(venv, *sys.version_info[:2]))
    made = subprocess.run([sys.executable, "-m", "venv", venv], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode:
        sys.stderr.write(made.stdout.decode(errors="replace"))
        fail("couldn't create the environment; on Debian and Ubuntu, try apt-get install python3-venv")


def pip_install(venv, arguments):
    """Run pip, and explain a failure in one sentence."""
    command = [python_of(venv), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--retries", "2"]
    process = subprocess.run(command + arguments, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = process.stdout.decode(errors="replace")
    if process.returncode:
        sys.stderr.write("\n".join(output.splitlines()[-15:]) + "\n")
        if NO_NETWORK.search(output):
            fail("can't reach the Python package index; check the network connection or proxy, and try again")
        fail("pip couldn't install the packages; the lines above say why")


def wanted_state(extras):
    """What the environment depends on. If none of it has changed, there's nothing to do."""
    digest = hashlib.sha256()
    for name in ("pyproject.toml", "classroom/pyproject.toml", "constraints.txt"):
        with open(os.path.join(ROOT, name), "rb") as file:
            digest.update(file.read())
    return {"files": digest.hexdigest(), "python": list(sys.version_info[:2]), "root": ROOT, "extras": sorted(extras)}


def present_state():
    try:
        with open(STAMP) as file:
            return json.load(file)
    except (OSError, ValueError):
        return {"extras": []}


def install(extras):
    unknown = sorted(set(extras) - set(EXTRAS) - {CLASSROOM})
    if unknown:
        fail("got {}, expected some of {}".format(", ".join(unknown), ", ".join(EXTRAS + [CLASSROOM])))
    present = present_state()
    wanted = wanted_state(set(extras) | set(present.get("extras", [])))
    if present == wanted and os.path.exists(python_of(VENV)):
        return
    check_python()
    create(VENV)
    say("installing the package with {} (a minute or two, once)".format(", ".join(wanted["extras"])))
    own = ",".join(extra for extra in wanted["extras"] if extra != CLASSROOM)
    second = ["--editable", "./" + CLASSROOM] if CLASSROOM in wanted["extras"] else []
    pip_install(VENV, ["--constraint", CONSTRAINTS, "--editable", f".[{own}]"] + second)
    with open(STAMP, "w") as file:
        json.dump(wanted, file)
    say("the environment is ready")


def lock():
    """Write constraints.txt: the newest versions that work together, all extras included.

    Run it with an old patch release of the oldest supported Python, because some packages need a later one.
    PyTorch keeps its version (its builds are large, and only tests use it). To move it, change its line in
    constraints.txt by hand first.
    """
    check_python()
    venv = os.path.join(ROOT, "build", "lock")
    shutil.rmtree(venv, ignore_errors=True)
    create(venv)
    with open(CONSTRAINTS) as file:
        held = [line.strip() for line in file if line.startswith("torch==")]
    say("resolving the newest versions of everything (a few minutes)")
    pip_install(venv, held + [".[{}]".format(",".join(EXTRAS)), f"./{CLASSROOM}[hub]"])
    freeze = [python_of(venv), "-m", "pip", "freeze", "--disable-pip-version-check"]
    lines = subprocess.run(freeze, stdout=subprocess.PIPE, check=True).stdout.decode().splitlines()
    pins = sorted(line.split("+")[0] for line in lines if "==" in line and not line.startswith("sdpa"))
    with open(CONSTRAINTS, "w") as file:
        version = ".".join(map(str, sys.version_info[:3]))
        file.write(f"# Versions known to work together. Written by `make lock` with Python {version}.\n")
        file.write("\n".join(pins) + "\n")
    say(f"wrote constraints.txt with {len(pins)} versions; run make test before you commit it")


if __name__ == "__main__":
    if sys.argv[1:2] == ["install"]:
        install(sys.argv[2:])
    elif sys.argv[1:] == ["lock"]:
        lock()
    else:
        fail("usage: environment.py install EXTRA… | lock")
