"""Problem set 12, the capstone: a small causal transformer, from text to a trained model that writes."""

import numpy as np

from ..experiments import capstone
from .ps12_ways import (
    BACK,
    CUT,
    HEAD_MISTAKES,
    LOSS,
    MASK,
    NAMES,
    any_prompts,
    any_runs,
    any_texts,
    blame,
    counted,
    layers,
    losses,
    model_sizes,
    models,
    norm_after,
    pairs,
    prompts,
    reading,
    runs,
    texts,
    training,
    writing,
)
from .tasks import Mistake, Task, any_sizes

TASKS = (
    Task(
        "ps12.windows",
        points=3,
        asks="x[b] is the piece of the text that begins at starts[b], y[b] the same piece one character later",
        read=LOSS,
        cases=texts,
        hidden=any_texts,
        outputs=("x", "y"),
        right=capstone.windows,
        mistakes=(
            Mistake(
                "targets not shifted",
                lambda *a: pairs(*a, shift=0),
                "Your y is your x. A model that may see a character needn't guess it: what should it be asked for?",
            ),
            Mistake(
                "shifted backwards",
                lambda *a: pairs(*a, shift=-1),
                "Your y is the character before each of x. The model will be asked for the one after.",
            ),
            Mistake(
                "two ahead",
                lambda *a: pairs(*a, shift=2),
                "Your y lies two characters after x. Count the places from `starts[b]` on, for both.",
            ),
            Mistake(
                "rolled",
                lambda *a: (pairs(*a)[0], np.roll(pairs(*a)[0], -1, axis=1)),
                "Your y is right but for its last column, the window's first character again. The text goes on.",
            ),
            Mistake(
                "exchanged",
                lambda *a: pairs(*a)[::-1],
                "You have both arrays, in the other order: what the model reads comes first.",
            ),
            Mistake(
                "one row per place",
                lambda *a: tuple(part.T for part in pairs(*a)),
                "These are the right characters, but each window is a column. It should be a row.",
            ),
            Mistake(
                "starts as counters",
                lambda ids, starts, length: pairs(ids, length * np.arange(len(starts)), length),
                "You cut one window after the other from the beginning of the text. `starts` says where they begin.",
            ),
        ),
    ),
    Task(
        "ps12.causal_heads",
        points=5,
        asks="every token attends, in each head, to itself and the tokens before it",
        read=CUT,
        cases=layers,
        hidden=lambda rng: layers(rng, any_sizes(rng, 6)),
        right=capstone.causal_heads,
        mistakes=HEAD_MISTAKES,
    ),
    Task(
        "ps12.forward",
        points=4,
        asks="norm(g) W_U, one row of logits for each token",
        read='notebook 09, section "Where nothing shows"',
        cases=models,
        hidden=lambda rng: models(rng, model_sizes(rng)),
        right=capstone.forward,
        noted=("forward", "run"),
        mistakes=(
            Mistake(
                "no shortcut around the heads",
                lambda *a: reading(*a, ways=(0, 1)),
                "What the heads say replaces x, instead of being added to it: h = x + …",
            ),
            Mistake(
                "no shortcut around the MLP",
                lambda *a: reading(*a, ways=(1, 0)),
                "The residual is missing in the second half: g = h + …",
            ),
            Mistake(
                "no shortcut at all",
                lambda *a: reading(*a, ways=(0, 0)),
                "Both residuals are missing: each half of the block is added to what it has read.",
            ),
            Mistake(
                "no positions",
                lambda *a: reading(*a, positions=False),
                "Your tokens don't know where they stand: one of the weights isn't used.",
                read='notebook 05, section "A bag of words"',
            ),
            Mistake(
                "no norm at all", lambda *a: reading(*a, norms=(0, 0, 0)), "There are three norms, and you have none."
            ),
            Mistake(
                "no norm before W_U",
                lambda *a: reading(*a, norms=(1, 1, 0)),
                "The block is right. One norm is missing: the last one, between the block and W_U.",
            ),
            Mistake(
                "no norm before the heads",
                lambda *a: reading(*a, norms=(0, 1, 1)),
                "Your heads read x itself. They should read its norm, and only they: the residual keeps x.",
            ),
            Mistake(
                "no norm before the MLP",
                lambda *a: reading(*a, norms=(1, 0, 1)),
                "Your MLP reads h itself. It should read its norm, and only the MLP: the residual keeps h.",
            ),
            Mistake(
                "norm after the sum",
                norm_after,
                "You normalise after each sum, as in 2017. Here the norm comes before the heads and the MLP.",
            ),
            Mistake(
                "side by side",
                lambda *a: reading(*a, beside=True),
                "Your MLP reads x. It should read h, which has what the heads found.",
            ),
            Mistake(
                "no ReLU",
                lambda *a: reading(*a, relu=False),
                "Two matrices in a row are one matrix. What stands between W_1 and W_2?",
            ),
            Mistake(
                "future seen",
                lambda *a: reading(*a, causal=False),
                "Your heads look ahead. Are they those of stage 2, with the mask?",
                read=MASK,
            ),
            Mistake(
                "always scaled",
                lambda *a: reading(*a[:-1], True),
                "With scaled=False your logits are still those with the scale: pass `scaled` on to the heads.",
            ),
            Mistake(
                "probabilities",
                lambda *a: reading(*a, shares=True),
                "These are probabilities. The task asks for what goes into softmax; the loss has its own.",
            ),
        ),
    ),
    Task(
        "ps12.gradients",
        points=5,
        asks="the mean loss, then its gradient on each weight, in their order",
        read=BACK,
        cases=lambda rng: models(rng, targets=True),
        hidden=lambda rng: models(rng, model_sizes(rng), targets=True),
        outputs=("loss", *(f"d{name}" for name in NAMES)),
        right=capstone.gradients,
        noted=("gradients", "run"),
        mistakes=(
            Mistake(
                "sum",
                lambda *a: counted(*a, loss=True, slopes=True),
                "Loss and gradients are those of a sum over all predictions. As in ps09, it's a mean, over B · T.",
                read=LOSS,
            ),
            Mistake(
                "gradient of the sum",
                lambda *a: counted(*a, loss=False, slopes=True),
                "The loss is right. All your gradients are B · T times too large: they belong to a sum.",
                read=LOSS,
            ),
            Mistake(
                "uphill",
                lambda *a: blame(*a, times=(1, -1)),
                "Sizes are right, signs aren't: a gradient points to where the loss grows.",
            ),
            Mistake(
                "repeats lost",
                lambda *a: blame(*a, lost=True),
                "Only dE is wrong. `dE[ids] += …` counts a character once, however often it occurs; look up np.add.at.",
                read="notebook 09; the text of this task",
            ),
            Mistake(
                "positions averaged",
                lambda *a: blame(*a, places="mean"),
                "Only dP is wrong: you average over the windows, and the loss has already been averaged.",
            ),
            Mistake(
                "first window's positions",
                lambda *a: blame(*a, places="first"),
                "Only dP is wrong: it has the first window's share. All windows use the same positions.",
            ),
            Mistake(
                "no way around the heads",
                lambda *a: blame(*a, ways=(0, 1)),
                "dW_Q to dW_U are right, dE and dP aren't. h = x + …, so x gets blame on two ways.",
            ),
            Mistake(
                "no way around the MLP",
                lambda *a: blame(*a, ways=(1, 0)),
                "dW_1, dW_2 and dW_U are right. g = h + …, so h gets blame on two ways, and one is missing.",
            ),
            Mistake(
                "no way around either",
                lambda *a: blame(*a, ways=(0, 0)),
                "Both residuals are missing on the way back: a sum passes its gradient on to both of its parts.",
            ),
            Mistake(
                "norms passed over",
                lambda *a: blame(*a, norms=False),
                "dW_U is right, and then you pass over the norms. Each has a backward function.",
            ),
            Mistake(
                "ReLU passed over",
                lambda *a: blame(*a, relu=False),
                "dW_2 and dW_U are right. But a hidden unit at 0 gets no blame: where it's cut off, its slope is 0.",
            ),
        ),
    ),
    Task(
        "ps12.train",
        points=4,
        asks="the loss before each step, then the weights after the last one",
        read=LOSS,
        cases=runs,
        hidden=any_runs,
        outputs=("losses", *NAMES),
        right=capstone.train,
        noted=("train",),
        mistakes=(
            Mistake(
                "gradients added up",
                lambda *a: training(*a, kept=True),
                "The first step is right. After it each gradient is added to the old ones: start afresh.",
            ),
            Mistake("uphill", lambda *a: training(*a, sign=-1), "You walk uphill: your losses should fall, not rise."),
            Mistake(
                "no rate", lambda *a: training(*a, whole=True), "You go the whole gradient. One argument isn't used."
            ),
            Mistake(
                "never moved",
                lambda *a: training(*a, still=True),
                "The first loss is right, but the weights that come out are those that went in.",
            ),
            Mistake(
                "same batch",
                lambda *a: training(*a, same=True),
                "All your steps use the first row of `starts`. Each has its own.",
            ),
            Mistake(
                "loss after the step",
                lambda *a: training(*a, after=True),
                "The weights are right. Your losses are those after each step, and the task asks for those before.",
            ),
            Mistake(
                "last step lost",
                lambda *a: training(*a, short=True),
                "The losses are right, but the weights are those before the last step.",
            ),
            Mistake(
                "targets not shifted",
                lambda *a: training(*a, shift=0),
                "You ask for the character that the model is just reading. Are x and y those of stage 1?",
            ),
        ),
    ),
    Task(
        "ps12.final_loss",
        points=2,
        asks="the mean of the last 50 losses of the run that the text describes",
        read=LOSS,
        right=lambda: losses()[-50:].mean(),
        tolerance=0.03,
        mistakes=(
            Mistake(
                "no scale",
                lambda: losses(scaled=False)[-50:].mean(),
                "That's about the mean over all steps, or what comes out without the scale. It's neither.",
            ),
            Mistake(
                "first steps",
                lambda: losses()[:50].mean(),
                "That's about the mean of the first losses. Which end of the array is the last?",
            ),
            Mistake("sum", lambda: losses()[-50:].sum(), "That's about the sum of the last losses. Take their mean."),
            Mistake(
                "not trained",
                lambda: losses()[0],
                "That's about the loss before the first step, when the model knows nothing.",
            ),
        ),
    ),
    Task(
        "ps12.write",
        points=3,
        asks="the prompt, then one id for each u",
        read='notebook 03, section "One dial for sharpness"',
        cases=prompts,
        hidden=any_prompts,
        right=capstone.write,
        noted=("write", "draw"),
        mistakes=(
            Mistake(
                "first row of logits",
                lambda *a: writing(*a, at=0),
                "You go by the first token's logits. Which token knows the whole prompt?",
            ),
            Mistake(
                "prompt missing",
                lambda *a: writing(*a, alone=True),
                "What's new is right. But the prompt belongs to the result, in front.",
            ),
            Mistake(
                "old window",
                lambda *a: writing(*a, oldest=True),
                "When the text is longer than P, you keep its beginning. What comes next depends on its end.",
            ),
            Mistake(
                "temperature ignored",
                lambda *a: writing(*a, heat=lambda t: 1.0),
                "This is what temperature 1 gives, whatever the argument says.",
            ),
            Mistake(
                "temperature multiplied",
                lambda *a: writing(*a, heat=lambda t: 1 / t if t else 0.0),
                "You multiply by the temperature. A high one should make the distribution flatter: it divides.",
            ),
            Mistake(
                "always the likeliest",
                lambda *a: writing(*a, heat=lambda t: 0.0),
                "You always take the likeliest character. That's right at temperature 0 only.",
            ),
            Mistake(
                "one u for all",
                lambda *a: writing(*a, one=True),
                "You use the first u for every character. Each has its own.",
            ),
            Mistake(
                "divided by 0",
                lambda *a: writing(*a, divides=True),
                "At temperature 0 you divide by 0, and no comparison with NaN is true. Take the likeliest there.",
            ),
        ),
    ),
)
