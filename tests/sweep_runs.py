"""Runs for the sweep tests: other processes must be able to import them."""

import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

from sdpa_course.experiments.sweeps import sweep


class Case(NamedTuple):
    """One setting of a test sweep."""

    name: str
    value: float = 1.0
    log: str = ""  # a file to which every run adds a line, to count how often it ran


def run(setting: Case, seed: int) -> dict:
    """Say what was asked, or misbehave as the setting's name says."""
    if setting.log:
        with open(setting.log, "a") as file:
            file.write(f"{setting.value} {seed}\n")
    if setting.name == "slow":
        time.sleep(0.05)
    if setting.name == "fails":
        raise ArithmeticError(f"no result for seed {seed}")
    if setting.name == "dies":
        time.sleep(0.2)
        os._exit(3)
    if setting.name == "stores a function":
        return {"it": run}
    if setting.name == "not a number":
        return {"it": float("nan")}
    return {"product": setting.value * seed, "process": os.getpid()}


def slow_cases(log: Path) -> list[Case]:
    """Ten settings that take a while."""
    return [Case("slow", float(value), str(log)) for value in range(10)]


if __name__ == "__main__":  # a sweep of its own, for the test that kills it
    path, log = map(Path, sys.argv[1:])
    sweep(run, slow_cases(log), range(8), path, workers=2, progress=False)
