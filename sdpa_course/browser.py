"""Work around two differences between Pyodide's kernel in the browser and Jupyter's. Imported only in the browser."""

import numpy as np
from tqdm import tqdm


def adapt(shell) -> None:
    """Keep NumPy's print options from cell to cell, and stop progress bars from starting a thread.

    NumPy stores its print options in a context variable, and this kernel runs each cell in a new context.
    """
    tqdm.monitor_interval = 0  # the monitor is a thread, and there aren't any here
    if shell is None:  # Python in a page, without a notebook
        return
    options = {}
    shell.events.register("post_run_cell", lambda result: options.update(np.get_printoptions()))
    shell.events.register("pre_run_cell", lambda info: np.set_printoptions(**options))
