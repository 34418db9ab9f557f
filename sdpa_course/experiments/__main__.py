"""Run the stored sweep of notebook 09: `make sweep`, or `python -m sdpa_course.experiments`.

Only missing runs are done. Delete the file to run everything again (about 1,000 runs; half an hour on two cores).
"""

from .ablation import STORED, training_grids
from .sweeps import sweep
from .training import summarise

if __name__ == "__main__":
    for name, (settings, seeds) in training_grids().items():
        print(f"{name}: {len(settings)} settings, {seeds} seeds", flush=True)
        sweep(summarise, settings, range(seeds), STORED)
