"""Shared by all tests and doctests."""

import os

import numpy as np
import pytest

import sdpa_course
from tools.chrome import NOT_FOUND, find_browser, open_browser


@pytest.fixture(autouse=True)
def doctest_names(doctest_namespace):
    """Doctests may use NumPy and the package's public names without importing them."""
    doctest_namespace["np"] = np
    doctest_namespace.update({name: getattr(sdpa_course, name) for name in sdpa_course.__all__})


@pytest.fixture(scope="session")
def torch():
    """PyTorch, the independent oracle. A test that asks for it is marked `full`: only make test-all installs it."""
    import torch

    return torch


@pytest.fixture(scope="session")
def language_model():
    """The language model. A test that asks for it is marked `full`: only make test-all fetches it."""
    from sdpa_course.model import has_model, load

    if not has_model():
        pytest.skip("the language model isn't here: make model fetches it")
    return load()


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    if find_browser() is None:
        pytest.skip(NOT_FOUND)
    with open_browser() as browser:
        yield browser


def pytest_collection_modifyitems(items):
    """Mark what needs PyTorch or the model, and start with what takes longest: the browser."""
    for item in items:
        if {"torch", "language_model"} & set(getattr(item, "fixturenames", ())) or item.path.name == "A1_pytorch.ipynb":
            item.add_marker(pytest.mark.full)
    items.sort(key=lambda item: item.path.parent.name != "browser")


def skipped(config) -> list[str]:
    """Why tests were skipped, each reason once; only the process that reports knows."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    reports = reporter.stats.get("skipped", []) if reporter else []
    reasons = (
        report.longrepr[-1] if isinstance(report.longrepr, tuple) else str(report.longrepr) for report in reports
    )
    return list(dict.fromkeys(reason.removeprefix("Skipped: ") for reason in reasons))


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """With CI=true a skipped test is a failed one."""
    if os.environ.get("CI") and skipped(session.config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_unconfigure(config):
    """The last line names whatever was skipped: no check may be left out in silence."""
    if reasons := skipped(config):
        failed = " (with CI=true that counts as a failure)" if os.environ.get("CI") else ""
        print(f"sdpa-course: skipped{failed}: {'; '.join(reasons)}")
