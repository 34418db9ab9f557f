"""`tools/environment.py` and the Makefile: what they say when something is missing."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """The module, working in an empty folder that looks like the project."""
    spec = importlib.util.spec_from_file_location("environment_tool", ROOT / "tools" / "environment.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    (tmp_path / "classroom").mkdir()
    for name in ("pyproject.toml", "classroom/pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path / name)
    venv = tmp_path / ".venv"
    paths = {"ROOT": tmp_path, "VENV": venv, "CONSTRAINTS": tmp_path / "constraints.txt"}
    for name, value in {**paths, "STAMP": venv / "sdpa-course.json"}.items():
        monkeypatch.setattr(module, name, str(value))
    return module


def test_old_python(tool, monkeypatch):
    monkeypatch.setattr(tool, "OLDEST", (9, 9))
    with pytest.raises(SystemExit, match=r"Python 9.9 or newer is needed, .* make PYTHON="):
        tool.install(["lab"])


def test_no_venv_module(tool, monkeypatch):
    monkeypatch.setitem(sys.modules, "ensurepip", None)
    with pytest.raises(SystemExit, match=r"has no venv module; .* apt-get install python3-venv"):
        tool.install(["lab"])


@pytest.mark.parametrize(
    ("output", "sentence"),
    [
        ("Failed to establish a new connection: Temporary failure in name resolution", "check the network connection"),
        ("ERROR: No matching distribution found for numpy==99", "pip couldn't install"),
    ],
)
def test_pip_fails(tool, monkeypatch, capfd, output, sentence):
    def failing_pip(command, **keywords):
        return subprocess.CompletedProcess(command, 1, stdout=output.encode())

    monkeypatch.setattr(tool.subprocess, "run", failing_pip)
    with pytest.raises(SystemExit, match=sentence):
        tool.pip_install(tool.VENV, ["."])
    assert output in capfd.readouterr().err


def test_does_nothing_the_second_time_and_adds_what_is_new(tool, monkeypatch):
    calls = []
    monkeypatch.setattr(tool, "pip_install", lambda venv, arguments: calls.append(arguments[3::2]))
    monkeypatch.setattr(tool, "create", lambda venv: (Path(venv) / "bin").mkdir(parents=True, exist_ok=True))
    monkeypatch.setattr(tool, "python_of", lambda venv: sys.executable)
    tool.install(["lab"])
    tool.install(["lab"])
    assert calls == [[".[lab]"]]
    tool.install(["tests"])
    tool.install(["lab"])
    assert calls == [[".[lab]"], [".[lab,tests]"]]
    tool.install(["classroom"])
    assert calls[-1] == [".[lab,tests]", "./classroom"]
    with open(tool.CONSTRAINTS, "a") as file:
        file.write("new==1\n")
    tool.install(["lab"])
    assert len(calls) == 4


def test_a_broken_environment_is_created_again(tool, capsys):
    os.makedirs(tool.VENV)
    Path(tool.VENV, "left-over").touch()
    tool.create(tool.VENV)
    assert tool.works(tool.VENV)
    assert not Path(tool.VENV, "left-over").exists()
    assert "creating it again" in capsys.readouterr().out


def test_unknown_extra(tool):
    with pytest.raises(SystemExit, match="got nonsense, expected some of lab, check, tests"):
        tool.install(["nonsense"])


@pytest.mark.parametrize("target", ["lab", "test"])
def test_make_without_python_says_so(target):
    run = subprocess.run(
        ["make", target, "PYTHON=no-such-python"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode != 0
    assert "no-such-python was not found; Python 3.11 or newer is needed" in run.stderr
