"""Run the stored sweeps of notebooks 09 and 10: `make sweep`, or `python -m sdpa_course.experiments`.

Only missing runs are done. Delete a file to run everything in it again (about 3,000 runs; an hour on two cores).
`--scheduler tcp://host:8786` sends the runs to a Dask cluster, whose workers need this package.
"""

import argparse
from contextlib import nullcontext
from importlib import import_module

from . import ablation, cures
from .brief import summarise_briefly
from .settled import SETTLED, store_settled
from .snapshots import MAPS, store_maps
from .sweeps import sweep
from .training import summarise

SWEEPS = (
    (summarise, ablation.STORED, ablation.training_grids),
    (summarise_briefly, ablation.FAIR, ablation.fair_grids),
    (cures.follow, cures.STORED, cures.beyond_grids),
)


def main(arguments=None) -> None:
    """Do all missing runs, question by question."""
    parser = argparse.ArgumentParser(
        prog="python -m sdpa_course.experiments", description="Do the runs that are missing."
    )
    parser.add_argument("--scheduler", help="address of a Dask scheduler; without it, processes on this machine")
    parser.add_argument("--workers", type=int, help="how many of those; as many as there are cores unless given")
    parser.add_argument("--only", help="one question by its name, such as 'additive'; all of them unless given")
    given = parser.parse_args(arguments)
    names = [name for _, _, grids in SWEEPS for name in grids()]
    if given.only not in (None, *names):
        parser.error(f"--only: got {given.only!r}, expected one of {', '.join(names)}")
    if not MAPS.exists():
        store_maps()
    if not SETTLED.exists():
        store_settled()
    with cluster(given.scheduler) as executor:
        for run, path, grids in SWEEPS:
            for name, (settings, seeds) in grids().items():
                if given.only in (None, name):
                    print(f"{name}: {len(settings)} settings, {seeds} seeds", flush=True)
                    sweep(run, settings, range(seeds), path, executor=executor, workers=given.workers)


def cluster(address: str | None):
    """A context with the executor of a Dask cluster, or with None."""
    if address is None:
        return nullcontext()
    return import_module("distributed").Client(address).get_executor()


if __name__ == "__main__":
    main()
