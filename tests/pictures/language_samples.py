"""Samples for the two sliders of notebook 11."""

import numpy as np

from sdpa_course.explore.language import Head, Turned
from sdpa_course.figures import language
from tests.pictures.sample import Sample, grid, softmax, wavy

FACTORS = (0.25, 1.0, 8.0)
LOSSES = {"prose": [6.2, 3.4, 7.5], "dialogue": [6.0, 3.0, 7.1], "code": [7.2, 1.6, 6.9]}
MASKED = np.where(np.tri(4, dtype=bool), 2 * wavy(4, 4), -np.inf)

LANGUAGE = {
    language.knob: Sample(
        grid(1, 2, size=(9.6, 4)), (Turned(1.0, "The dog", " chased the ball, and the ball ran.", FACTORS, LOSSES),)
    ),
    language.head_map: Sample(grid(size=(8.4, 4.6)), (Head(5, 0, ["The", "dog", "was", "fast"], softmax(MASKED)),)),
}
