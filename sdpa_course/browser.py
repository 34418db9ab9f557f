"""Where a browser's kernel (Pyodide) behaves otherwise than Jupyter's, set right. Imported there and nowhere else."""

import numpy as np
from tqdm import tqdm


def adapt(shell) -> None:
    """Let notebooks run as elsewhere: print options hold from cell to cell, progress bars ask for no thread.

    NumPy keeps its print options in a context variable, and this kernel runs each cell in a context of its own.
    """
    tqdm.monitor_interval = 0  # the monitor is a thread, and none can be started
    if shell is None:  # Python in a page, without a notebook
        return
    options = {}
    shell.events.register("post_run_cell", lambda result: options.update(np.get_printoptions()))
    shell.events.register("pre_run_cell", lambda info: np.set_printoptions(**options))
