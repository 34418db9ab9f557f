"""Problem set 09: a loss, a step, a fair comparison, and a scale folded into the weights."""

import numpy as np

from ..kernels.loss import cross_entropy_backward, cross_entropy_forward
from ..kernels.scores import dot_scores_backward, dot_scores_forward
from ..kernels.softmax import softmax_forward
from .hunts import Hunt, Trap, counterexample
from .tasks import Mistake, Task, any_sizes


def some_logits(rng) -> list[dict]:
    """Predictions over more classes, each with a different target; the first target's p is so small that an ε shows."""
    cases = []
    for n, classes in ((4, 7), (3, 5)):
        logits, targets = 2 * rng.normal(size=(n, classes)), rng.permutation(classes)[:n]
        logits[0, targets[0]] = logits[0].min() - 14
        cases.append({"logits": logits, "targets": targets})
    return cases


def any_logits(rng) -> list[dict]:
    """Any sizes, more predictions than classes among them, and targets that repeat; last, all targets are the same."""
    cases = []
    for n, classes in (*any_sizes(rng, 2), (9, 3), (6, 5)):
        cases.append({"logits": 2 * rng.normal(size=(n, classes)), "targets": rng.integers(classes, size=n)})
    cases[-1]["targets"][:] = cases[-1]["targets"][0]
    return cases


def any_far_logits(rng) -> list[dict]:
    """The same in quarters, too far from 0 for exp, in either direction and by a different distance in every case."""
    cases = any_logits(rng)
    for case in cases:
        far = np.round(rng.choice([-1, 1], size=(len(case["logits"]), 1)) * rng.uniform(750, 1000))
        case["logits"] = far + np.round(4 * case["logits"]) / 4
    return cases


def far_logits(rng) -> list[dict]:
    """Rows around 1000, −1000 and 0; one target is nearly impossible, one far above its row's mean."""
    logits = rng.normal(size=(4, 6)) + np.array([[1000.0], [-1000.0], [0.0], [0.0]])
    targets = rng.permutation(6)[:4]
    logits[2, targets[2]] -= 900
    logits[3, targets[3]] += 950
    return [{"logits": logits, "targets": targets}]


def two_sides(rng, sizes=((2, 4, 5, 3, 0.2), (6, 3, 7, 5, 0.3))) -> list[dict]:
    """What a step on W_Q and W_K needs: tokens on both sides, and the gradient on the scores."""
    names, cases = ("x_queries", "x_keys", "W_Q", "W_K", "dscores"), []
    for t_q, t_k, d_model, d_k, rate in sizes:
        shapes = ((t_q, d_model), (t_k, d_model), (d_model, d_k), (d_model, d_k), (t_q, t_k))
        cases.append({name: rng.normal(size=s) for name, s in zip(names, shapes, strict=True)} | {"rate": rate})
    return cases


def two_arms(rng) -> list[dict]:
    """A positive and a negative gap, redrawn until no unfair comparison gives the same; then arms whose rates tie."""
    cases, ways = [], [gap, *UNFAIR.values()]
    for rates, seeds, tuning, sign in ((6, 7, 3, 1), (5, 8, 3, -1)):
        gaps = [0.0, 0.0]
        while np.diff(np.sort(gaps)).min() < 0.005:
            first, second = rng.uniform(0.1, 1, size=(2, rates, seeds))
            if sign * gap(first, second, tuning) > 0.05:
                gaps = [way(first, second, tuning) for way in ways]
        cases.append({"first": first, "second": second, "tuning": tuning})
    tied = rng.integers(2, 13, size=(2, 6, 5)) / 16  # sixteenths: no sum is rounded
    tied[0, [1, 4], :2] = tied[1, [0, 3], :2] = 15 / 16
    tied[0, 1, 2:] = tied[0, 4, 2:] + 3 / 16
    tied[1, 3, 2:] = tied[1, 0, 2:] + 2 / 16
    return [*cases, {"first": tied[0], "second": tied[1], "tuning": 2}]


def any_sides(rng) -> list[dict]:
    """Any sizes and rates."""
    return two_sides(rng, [(*size, float(rng.uniform(0.05, 0.8))) for size in any_sizes(rng, 4)])


def any_arms(rng) -> list[dict]:
    """Any number of rates and seeds; one seed that chooses, one that is reported, one rate; arms that are the same."""
    cases = []
    for rates, choose, report in any_sizes(rng, 3):
        first, second = rng.uniform(0.1, 1, size=(2, rates, choose + report))
        cases.append({"first": first, "second": second, "tuning": choose})
    cases[-1]["second"] = cases[-1]["first"].copy()
    return cases


def cross_entropy(logits, targets):
    """The package's loss and gradient."""
    loss, cache = cross_entropy_forward(logits, targets)
    return loss, cross_entropy_backward(cache)


def from_shares(exps, targets, epsilon=0.0, whole=False):
    """The same by way of p: −mean log p and (p − one-hot) / n; p is normalised per row, or taken as is if `whole`."""
    (n, classes), p = exps.shape, exps / (1 if whole else exps.sum(axis=-1, keepdims=True))
    return -np.log(p[np.arange(n), targets] + epsilon).mean(), (p - np.eye(classes)[targets]) / n


def in_logs(logits, targets, shift=0.0):
    """The same by way of log p, after subtracting one number from all logits, or one from each row."""
    n, log_p = len(logits), logits - shift - np.log(np.exp(logits - shift).sum(axis=-1, keepdims=True))
    return -log_p[np.arange(n), targets].mean(), (np.exp(log_p) - np.eye(logits.shape[1])[targets]) / n


def by_columns(logits, targets):
    """p[:, targets] picks whole columns, not one entry per row."""
    p, dlogits = softmax_forward(logits), softmax_forward(logits)
    dlogits[:, targets] -= 1
    return -np.log(p[:, targets]).mean(), dlogits / len(p)


def both_steps(x_queries, x_keys, W_Q, W_K, dscores, rate, power=-0.5, wide=False):
    """One step of SGD on W_Q and W_K, with scale = width ** power."""
    scale = W_Q.shape[0 if wide else 1] ** power
    _, cache = dot_scores_forward(x_queries @ W_Q, x_keys @ W_K, scale=scale)
    dq, dk = dot_scores_backward(dscores, cache)
    return W_Q - rate * x_queries.T @ dq, W_K - rate * x_keys.T @ dk


def gap(first, second, tuning, choose="tuning", report="others", by=np.mean, best=np.argmax):
    """Each arm at its own best rate: chosen on one group of seeds, averaged over another."""
    seeds = {"tuning": slice(tuning), "others": slice(tuning, None), "all": slice(None)}
    one, other = (best(by(arm[:, seeds[choose]], axis=1)) for arm in (first, second))
    return first[one, seeds[report]].mean() - second[other, seeds[report]].mean()


def one_rate(first, second, tuning, chooser):
    """Both arms at the rate that's best for `chooser`."""
    return (first - second)[chooser[:, :tuning].mean(axis=1).argmax(), tuning:].mean()


def gap_given(first, second, tuning):
    """What the function with the bug computes."""
    return one_rate(first, second, tuning, chooser=first)


def no_arms(first, second, tuning) -> str:
    """Why these aren't two arms of a comparison; empty if they are."""
    if not 0 < tuning < first.shape[1]:
        return f"tuning = {tuning} of {first.shape[1]} seeds; some have to choose and some have to be left"
    accuracies = np.stack([first, second])
    if not ((accuracies >= 0) & (accuracies <= 1)).all():
        return "accuracies that aren't between 0 and 1"
    rate, means = chosen(first, tuning), second[:, :tuning].mean(axis=1)
    tied = rate != chosen(second, tuning) and means[rate] > means.max() - 1e-12
    return "a tie: in tuning, no rate is better for the second arm than the first arm's choice" if tied else ""


def chosen(arm, tuning):
    """The rate that an arm's own tuning seeds choose."""
    return arm[:, :tuning].mean(axis=1).argmax()


def arms(first, second, tuning=1):
    """Two arms of two seeds each, whose accuracy depends on the rate alone."""
    return (*(np.tile(np.array(arm)[:, None], 2) for arm in (first, second)), tuning)


def mistakes(ways: dict, hints: dict) -> tuple[Mistake, ...]:
    """Pair what each mistake computes with its hint, by name."""
    return tuple(Mistake(name, way, hints[name]) for name, way in ways.items())


UNFAIR = {
    "as given": gap_given,
    "one joint rate": lambda *a: one_rate(*a, chooser=a[0] + a[1]),
    "tuning seeds reported": lambda *a: gap(*a, report="tuning"),
    "tuned on the reported": lambda *a: gap(*a, choose="others"),
    "groups exchanged": lambda *a: gap(*a, choose="others", report="tuning"),
    "all seeds": lambda *a: gap(*a, choose="all", report="all"),
    "chosen by all seeds": lambda *a: gap(*a, choose="all"),
    "best single run": lambda *a: gap(*a, by=np.max),
    "median": lambda *a: gap(*a, by=np.median),
}
SAME_CHOICE = {  # the right gap or its negative, where no rates tie
    "last of ties": lambda *a: gap(*a, best=lambda means: len(means) - 1 - means[::-1].argmax()),
    "second minus first": lambda *a: -gap(*a),
    "no sign": lambda *a: abs(gap(*a)),
}
GAP_HINTS = {
    "as given": "These are the given function's numbers. Swap its two arms: the gap should only change its sign.",
    "one joint rate": "One rate for both arms favours one of them. Each arm needs its own.",
    "tuning seeds reported": "Each arm has its own rate, but you report the seeds that chose it. That flatters it.",
    "tuned on the reported": "You chose the rates on the seeds you report. The tuning seeds come first in each row.",
    "groups exchanged": "You've kept the seeds apart, but swapped the two groups. Which seeds should do the choosing?",
    "all seeds": "You choose on all the seeds and report them all, as the notebook does. It also says what's wrong "
    "with that.",
    "chosen by all seeds": "You chose the rates on all the seeds, including the ones you report.",
    "best single run": "You chose a rate for its single luckiest run. What counts is all its tuning seeds.",
    "median": "You chose by the median of the tuning seeds. The task asks for a different average.",
    "last of ties": "Two rates are equally good here, and you take the last one. The task says which of them counts.",
    "second minus first": "The size is right, but the sign isn't. Which arm is subtracted from which?",
    "no sign": "Your gap is never negative. When the second arm is better, it should be.",
}

LOSSES = {
    "sum": lambda z, t: tuple(len(z) * part for part in cross_entropy(z, t)),
    "gradient of the sum": lambda z, t: (cross_entropy(z, t)[0], len(z) * cross_entropy(z, t)[1]),
    "loss of the sum": lambda z, t: (len(z) * cross_entropy(z, t)[0], cross_entropy(z, t)[1]),
    "no minus": lambda z, t: (-cross_entropy(z, t)[0], cross_entropy(z, t)[1]),
    "no target": lambda z, t: (cross_entropy(z, t)[0], softmax_forward(z) / len(z)),
    "softmax twice": lambda z, t: cross_entropy(softmax_forward(z), t),
    "uphill": lambda z, t: (cross_entropy(z, t)[0], -cross_entropy(z, t)[1]),
    "whole columns": by_columns,
    "whole columns in the gradient": lambda z, t: (cross_entropy(z, t)[0], by_columns(z, t)[1]),
    "log base 2": lambda z, t: (cross_entropy(z, t)[0] / np.log(2), cross_entropy(z, t)[1]),
    "all signs flipped": lambda z, t: tuple(-part for part in cross_entropy(z, t)),
}
BELOW_1000 = {  # told apart from the others only where nothing overflows
    "p changed before the loss": lambda z, t: (np.nan, cross_entropy(z, t)[1]),
    "wrong axis": lambda z, t: from_shares(softmax_forward(z, axis=0), t, whole=True),
} | {
    f"epsilon {epsilon:g}": lambda z, t, epsilon=epsilon: from_shares(softmax_forward(z), t, epsilon)
    for epsilon in (1e-5, 1e-6, 1e-7, 1e-8)
}
LOSS_HINTS = {
    name: f"Your loss has log(p + {name[8:]}) in it, which makes it a little too low." for name in BELOW_1000
} | {
    "p changed before the loss": "The gradient is right, but the loss takes the logarithm of negative numbers. "
    "After d = p there are two names for one array.",
    "wrong axis": "Your p sums to 1 down each column, over the predictions. Each prediction shares out 1 among its "
    "classes.",
    "sum": "Loss and gradient both grow with the number of predictions: you've added up instead of averaging.",
    "gradient of the sum": "The loss is right. But this gradient belongs to a loss that adds up the predictions.",
    "loss of the sum": "The gradient is right, and it's the gradient of a mean. Your loss is a sum.",
    "no minus": "The gradient is right. But can the loss be negative? The logarithm of a probability is never above 0.",
    "no target": "The loss is right. But your gradient ignores the targets: each of its rows should sum to 0.",
    "softmax twice": "This is what you get if probabilities are taken for logits: softmax was applied to its own "
    "result.",
    "uphill": "The gradient has the wrong sign: raising a target's logit must lower the loss.",
    "whole columns in the gradient": "The loss is right. But p[:, targets] takes those columns in every row, and each "
    "row has one target.",
    "log base 2": "The gradient is right, and it belongs to a loss in nats. Yours is in bits.",
    "all signs flipped": "Loss and gradient have the wrong sign. A logarithm of a probability is never above 0, and a "
    "cost is never below.",
    "whole columns": "p[:, targets] takes those columns in every row. Print its shape: you want one entry per row.",
}

STEPS = {
    "no scale": lambda *a: both_steps(*a, power=0),
    "1/d_k": lambda *a: both_steps(*a, power=-1),
    "sqrt(d_model)": lambda *a: both_steps(*a, wide=True),
    "scale on W_Q only": lambda *a: (both_steps(*a)[0], both_steps(*a, power=0)[1]),
    "scale on W_K only": lambda *a: (both_steps(*a, power=0)[0], both_steps(*a)[1]),
    "uphill": lambda *a: both_steps(*a[:-1], -a[-1]),
    "no rate": lambda *a: both_steps(*a[:-1], 1.0),
    "other order": lambda *a: both_steps(*a)[::-1],
    "queries first": lambda *a: (both_steps(*a)[0], both_steps(*a[:2], both_steps(*a)[0], *a[3:])[1]),
    "keys first": lambda *a: (both_steps(*a[:3], both_steps(*a)[1], *a[4:])[0], both_steps(*a)[1]),
}
STEP_HINTS = {
    "scale on W_Q only": "The new W_Q is right. But your step on W_K is √d_k times too long: every score is scaled.",
    "scale on W_K only": "The new W_K is right. But your step on W_Q is √d_k times too long: it goes through the same "
    "scaled scores.",
    "no scale": "This is the step for a head without a scale. Whatever shrinks the scores shrinks their slopes too.",
    "1/d_k": "You've used the scale twice. It appears once in the formula for the scores.",
    "sqrt(d_model)": "Your scale counts the rows of W_Q, which is the width of a token. How wide is a query?",
    "uphill": "The length is right, but the direction isn't: this step makes the loss larger.",
    "no rate": "The direction is right, but the step is the whole gradient. There's one argument you haven't used.",
    "other order": "Both matrices are right, but in the wrong order.",
    "queries first": "W_Q is right. But you computed the gradient on W_K after W_Q had already moved.",
    "keys first": "W_K is right. But you computed the gradient on W_Q after W_K had already moved.",
}

TASKS = (
    Task(
        "ps09.cross_entropy",
        points=3,
        asks="the mean of −ln p over the targets, and its gradient on the logits",
        read='notebook 09, section "Two tasks that are nothing but looking up"',
        cases=some_logits,
        hidden=any_logits,
        outputs=("loss", "dlogits"),
        right=cross_entropy,
        mistakes=mistakes(LOSSES | BELOW_1000, LOSS_HINTS),
    ),
    Task(
        "ps09.cross_entropy_large",
        points=2,
        asks="a finite and correct loss and gradient, however large the logits are",
        read='notebook 09, section "Two tasks that are nothing but looking up"; the text of this task',
        cases=far_logits,
        hidden=any_far_logits,
        answer="cross_entropy",
        outputs=("loss", "dlogits"),
        right=cross_entropy,
        mistakes=(
            Mistake(
                "no maximum",
                lambda z, t: from_shares(np.exp(z), t),
                "You divide ∞ by ∞ and 0 by 0. What can you subtract from a row without changing its softmax?",
                read='notebook 03, section "Trouble one: exp runs out of numbers"',
            ),
            Mistake(
                "no maximum in the loss",
                lambda z, t: (in_logs(z, t)[0], cross_entropy(z, t)[1]),
                "The gradient is right, but the loss is NaN. If the check above fails too, fix that first. If it "
                "passes, the sum inside the logarithm overflows.",
            ),
            Mistake(
                "no maximum in the logs",
                in_logs,
                "You took the logarithm on paper, as you should. But the sum inside it still overflows.",
            ),
            Mistake(
                "global maximum",
                lambda z, t: from_shares(np.exp(z - z.max()), t),
                "You use one maximum for the whole array, so the other rows underflow to 0 / 0. Each row needs its "
                "own.",
                read='notebook 03, section "Trouble one: exp runs out of numbers"',
            ),
            Mistake(
                "global maximum in the logs",
                lambda z, t: in_logs(z, t, shift=z.max()),
                "You use one maximum for the whole array, so the other rows underflow to a logarithm of 0. Each "
                "row needs its own.",
            ),
            Mistake(
                "row mean",
                lambda z, t: in_logs(z, t, shift=z.mean(axis=-1, keepdims=True)),
                "You subtract each row's mean. One logit here is nearly 800 above it, and its exponential overflows.",
            ),
            Mistake(
                "log of zero",
                lambda z, t: from_shares(softmax_forward(z), t),
                "The gradient is right. But in the loss, some p has been rounded to 0. Take the logarithm on paper "
                "first.",
            ),
            *(
                Mistake(
                    f"epsilon {epsilon:g}",
                    lambda z, t, epsilon=epsilon: from_shares(softmax_forward(z), t, epsilon),
                    f"You keep p at least about {epsilon:g} away from 0. Then no prediction can cost more than "
                    f"{-np.log(epsilon):.0f}, but one here costs about 900.",
                )
                for epsilon in (1e-7, 1e-8, 1e-10, 1e-12, 1e-15)
            ),
            *mistakes(
                LOSSES, {name: f"The check above fails too; fix that first. {LOSS_HINTS[name]}" for name in LOSSES}
            ),
        ),
    ),
    Task(
        "ps09.score_step",
        points=4,
        asks="W_Q and W_K after one step against the gradient",
        read='notebook 09, section "Two tasks that are nothing but looking up"',
        cases=two_sides,
        hidden=any_sides,
        outputs=("W_Q", "W_K"),
        right=both_steps,
        mistakes=mistakes(STEPS, STEP_HINTS),
    ),
    counterexample(
        "ps09",
        Hunt(gap_given, gap, {"first": "rates seeds", "second": "rates seeds", "tuning": ""}, no_arms),
        example=lambda: arms([0.9, 0.1], [0.1, 0.9]),
        traps=(
            Trap(
                "one rate",
                lambda: arms([0.9], [0.1]),
                "With a single learning rate there's nothing to choose.",
                fits=lambda first, second, tuning: len(first) == 1,
            ),
            Trap(
                "same best rate",
                lambda: arms([0.1, 0.9], [0.2, 0.6]),
                "Both arms do best at the same rate, as in the small example. What if they don't?",
                fits=lambda first, second, tuning: chosen(first, tuning) == chosen(second, tuning),
            ),
            Trap(
                "second arm indifferent",
                lambda: arms([0.9, 0.1], [0.5, 0.5 + 1e-9]),
                "The reported accuracy of your second arm hardly depends on the rate, so any rate will do for it.",
            ),
        ),
        read='notebook 09, section "Too sharp, too flat"',
    ),
    Task(
        "ps09.mended_gap",
        points=2,
        asks="the gap between two arms that were tuned the same way",
        read='notebook 09, section "Too sharp, too flat"',
        cases=two_arms,
        hidden=any_arms,
        right=gap,
        mistakes=mistakes(UNFAIR | SAME_CHOICE, GAP_HINTS),
    ),
    Task(
        "ps09.matching_rate",
        points=2,
        asks="the rate for the folded W_Q and W_K that repeats the scaled head's training",
        read='notebook 07, section "Same function, different steps"',
        right=lambda: 0.8 * 256**-0.5,
        tolerance=1e-3,
        mistakes=(
            Mistake(
                "no scale",
                lambda: 0.8,
                "The same rate doesn't do the same thing: the folded matrices are smaller, and their gradients larger.",
            ),
            Mistake(
                "1/d_k",
                lambda: 0.8 / 256,
                "That would work if the whole scale were in one of the two matrices. Here each has part of it.",
            ),
            Mistake(
                "one factor only",
                lambda: 0.8 / 256**0.25,
                "You've counted one effect out of two: the matrix is smaller, and its gradient is larger as well.",
            ),
            Mistake(
                "one factor, wrong way round",
                lambda: 0.8 * 256**0.25,
                "The folded head needs smaller steps, not larger ones, and you've counted only one of two factors.",
                read='notebook 09, section "The formula, or the size of the scores?"',
            ),
            Mistake(
                "wrong way round",
                lambda: 0.8 * np.sqrt(256),
                "The right factor, the wrong way round. Which head has the longer W, and so the smaller gradient?",
                read='notebook 09, section "The formula, or the size of the scores?"',
            ),
        ),
    ),
)
