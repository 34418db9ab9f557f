"""A real language model on the kernels of this course.

`load()` reads a file into plain arrays, `logits(model, tokens)` is the forward pass, `write(model, text)` goes on from
a text. `make model` fetches the file and installs what reads it; nothing else in the course needs either.
"""

from .llama import Model, forward, logits, new_cache, rms_norm, rotate, rotation, swiglu
from .loading import has_model, load, model_path
from .writing import next_tokens, write
