"""The drawing kit: a page measured in pixels, parts to put on it, and `@picture`. See docs/drawing.md."""

from .blocks import Block
from .page import Page
from .picture import Picture, picture

__all__ = ["Block", "Page", "Picture", "picture"]
