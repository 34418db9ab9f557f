"""The exercise inside notebook 12, the way readers answer it: with typical mistakes, and in several right ways."""

import numpy as np


def by_search(n, share):
    leads = []
    for wanted in share:
        low, high = -20.0, 40.0
        for _ in range(200):
            lead = (low + high) / 2
            low, high = (lead, high) if np.exp(lead) / (np.exp(lead) + n - 1) < wanted else (low, lead)
        leads.append(lead)
    return leads


WRONG = {
    "lead": [
        (lambda n, share: -np.log(1 / share - 1), "one rival"),
        (lambda n, share: np.log(share / (1 - share)) + np.log(n), "counts itself"),
        (lambda n, share: (n - 1) / (1 / share - 1), "ratio"),
        (lambda n, share: np.log(1 - share) - np.log(share) - np.log(n - 1), "upside down"),
        (lambda n, share: np.log(n * share), ""),
    ],
}
RIGHT = {
    "lead": [
        by_search,
        lambda n, share: np.log(n - 1) - np.log(1 / share - 1),
    ],
}
