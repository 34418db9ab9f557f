"""The environment check of notebook 00 says what's wrong and how to fix it."""

from sdpa_course import environment


def test_all_is_well_here(capsys):
    assert environment.check_environment()
    assert capsys.readouterr().out == "Everything the course needs is here.\n"


def test_what_is_wrong_is_said_with_what_to_do(capsys, monkeypatch):
    monkeypatch.setattr(environment, "installed_version", lambda name: None)
    assert not environment.check_environment()
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 5
    assert all(line.startswith("To fix this: ") and "pip install" in line for line in lines)


def test_an_old_python():
    (problem,) = environment.check_python((3, 9))
    assert "3.9" in problem
    assert "make lab" in problem


def test_missing_and_old_packages():
    versions = {"numpy": "1.26.4", "tqdm": None, "torch": "2.13.0+cpu"}
    needed = ["numpy>=2.1", "tqdm>=4.66", "torch>=2.5"]
    problems = environment.check_packages(needed, versions.get)
    assert problems == [
        "numpy is 1.26.4; run `pip install 'numpy>=2.1'` and restart the kernel",
        "tqdm is missing; run `pip install 'tqdm>=4.66'` and restart the kernel",
    ]


def test_wrong_numbers_are_noticed(monkeypatch):
    monkeypatch.setattr("sdpa_course.kernels.blocked.attention", lambda q, k, v, causal: v)
    assert environment.check_kernels() != []


def test_what_the_package_needs_comes_from_its_own_metadata():
    names = [line.partition(">=")[0] for line in environment.runtime_requirements()]
    assert names == ["numpy", "matplotlib", "ipywidgets", "anywidget", "tqdm"]
    assert environment.installed_version("no-such-package") is None
