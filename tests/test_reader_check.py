"""The environment check of notebook 00 says what's wrong and how to fix it."""

from sdpa_course import environment


def test_all_is_well_here(capsys):
    assert environment.check_environment()
    assert "Everything the course needs is here" in capsys.readouterr().out


def test_an_old_python(capsys):
    (problem,) = environment.check_python((3, 9))
    assert "3.9" in problem
    assert "make lab" in problem
    assert "no" in capsys.readouterr().out


def test_missing_and_old_packages(capsys):
    versions = {"numpy": "1.26.4", "tqdm": None, "torch": "2.13.0+cpu"}
    needed = [("numpy", "2.1"), ("tqdm", "4.66"), ("torch", "2.5")]
    problems = environment.check_packages(needed, versions.get)
    assert problems == [
        "numpy is 1.26.4; run `pip install 'numpy>=2.1'` and restart the kernel",
        "tqdm is missing; run `pip install 'tqdm>=4.66'` and restart the kernel",
    ]
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == ["no", "no", "yes"]


def test_wrong_numbers_are_noticed(capsys, monkeypatch):
    monkeypatch.setattr("sdpa_course.kernels.blocked.attention", lambda q, k, v, causal: v)
    assert environment.check_kernels() != []


def test_what_the_package_needs_comes_from_its_own_metadata():
    assert [name for name, _ in environment.runtime_requirements()] == ["numpy", "matplotlib", "ipywidgets", "tqdm"]
    assert environment.installed_version("no-such-package") is None
