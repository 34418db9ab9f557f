"""Sliders, one module a notebook: a function `x_view(**values) -> View` and the widget `x_explorer()` around it."""

import pkgutil
from importlib import import_module


def all_explorers() -> dict:
    """Every slider of the course: name -> the function that makes it, such as `collapse_explorer`."""
    modules = [import_module(f"{__name__}.{module.name}") for module in pkgutil.iter_modules(__path__)]
    return {name: value for module in modules for name, value in vars(module).items() if name.endswith("_explorer")}
