"""The exercises inside notebook 09, the way readers answer them: with typical mistakes, and in several right ways."""

import math

import numpy as np


def by_loop(accuracy, every):
    steps, lost = [], 0
    for run in accuracy:
        there = [i for i, value in enumerate(run) if value >= 0.9]
        if there:
            steps.append(there[0] * every)
        else:
            lost += 1
    return np.array([sum(steps) / len(steps), lost])


def by_mask(accuracy, every):
    there = accuracy >= 0.9
    found = there.any(axis=1)
    return np.array([(there[found].argmax(axis=1) * every).mean(), np.sum(~found)])


def changed(accuracy, every, by=1.0, add=0.0):
    late, lost = by_mask(accuracy, every)
    return late * by + add, lost


def bare_argmax(accuracy, every):
    there = accuracy >= 0.9
    return there.argmax(axis=1).mean() * every, sum(not run.any() for run in there)


def last_if_never(accuracy, every):
    there = accuracy >= 0.9
    steps = [run.argmax() if run.any() else len(run) - 1 for run in there]
    return np.mean(steps) * every, sum(not run.any() for run in there)


def last_record(accuracy, every):
    return by_mask(accuracy, every)[0], (accuracy[:, -1] < 0.9).sum()


WRONG = {
    "late_or_lost": [
        (lambda accuracy, every: changed(accuracy, every, by=1 / every), "records, not steps"),
        (lambda accuracy, every: changed(accuracy, every, add=every), "counted from 1"),
        (bare_argmax, "lost is step 0"),
        (last_if_never, "lost is the end"),
        (last_record, "lost at the end"),
        (lambda accuracy, every: (by_mask(accuracy, every)[0] / 2, 0), ""),
    ],
    "start_factor": [
        (lambda d_k, variance: variance / np.sqrt(d_k), "variance outside the root"),
        (lambda d_k, variance: variance / d_k, "no root"),
        (lambda d_k, variance: np.sqrt(d_k) / math.sqrt(variance), "upside down"),
        (lambda d_k, variance: d_k**-0.5, "only the root"),
        (lambda d_k, variance: (variance * d_k) ** -0.5, "variance in the denominator"),
        (lambda d_k, variance: variance * d_k, ""),
    ],
}
RIGHT = {
    "late_or_lost": [by_loop, by_mask],
    "start_factor": [
        lambda d_k, variance: (variance / d_k) ** 0.5,
        lambda d_k, variance: math.sqrt(variance) / np.sqrt(d_k),
    ],
}
