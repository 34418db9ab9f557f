"""The flashcards as data: theme -> (question, answer, numbers).

A number that some trial measured stands in the third place with its source: (claim, name of the number, format).
Every other number is exact: a definition, a count or a result of algebra.
"""

CARDS = {
    "variance": [
        (
            "In one line: why does attention divide by √d_k?",
            r"Because \(\mathrm{Var}(q \cdot k) = d_k\) for independent entries of mean 0 and variance 1, so about at "
            r"the start of training. Divided by \(\sqrt{d_k}\), scores have variance 1 whatever the width.",
            {},
        ),
        (
            "What must be true for Var(q·k) = d_k, and what need not?",
            "Independent q and k, entries of mean 0 and variance 1, uncorrelated coordinates (in one of the two is "
            "enough). Neither Gaussian entries nor the central limit theorem.",
            {},
        ),
        ("The standard deviation of q·k at d_k = 64, and after the division?", r"\(\sqrt{64} = 8\), and 1.", {}),
        (
            "Independent entries of mean 0, standard deviation σ_q in q and σ_k in k: what is Var(q·k)?",
            r"\(\sigma_q^2 \sigma_k^2\, d_k\). Dividing by \(\sqrt{d_k}\) removes only \(d_k\).",
            {},
        ),
        (
            "Gaussian entries and k = q: mean and variance of q·k?",
            r"Mean \(d_k\), variance \(2 d_k\). Alignment shows in the mean, and that grows like \(d_k\).",
            {},
        ),
        (
            "Is the key with the largest dot product the most similar one?",
            "Not always: a dot product is direction times length. Among 16 random keys of width 64 the winners "
            "agree for 0.89 of the queries, for 0.55 if the keys differ in length.",
            {"0.89": ("C15", "plain_64", ".2f"), "0.55": ("C15", "stretched_64", ".2f")},
        ),
        (
            "Do the entries of q have variance 1 after initialisation?",
            "It depends on the rule. After LayerNorm, with d_model = 512: N(0, 1/fan_in) gives 1, PyTorch's "
            "nn.Linear 1/3, He 2, a fixed 0.02 about 0.20. The score's variance is the square.",
            {"0.20": ("C21", "low", ".2f")},
        ),
    ],
    "softmax": [
        (
            "softmax([7, 3])?",
            r"0.9820 and 0.0180: only the gap of 4 counts, \(1/(1 + e^{-4})\).",
            {"0.9820": ("C10", "first", ".4f"), "0.0180": ("C10", "second", ".4f")},
        ),
        (
            "Which change of all scores does softmax forget, and which not?",
            "It forgets a common offset. It does not forget a common factor: that is one over the temperature.",
            {},
        ),
        (
            "One key leads all others by 4. Its weight among 2, 64 and 512 keys?",
            "0.982, 0.464 and 0.097. A gap is felt against the number of rivals.",
            {"0.982": ("C11", "top_2", ".3f"), "0.464": ("C11", "top_64", ".3f"), "0.097": ("C11", "top_512", ".3f")},
        ),
        (
            "Where does exp overflow, and what is the cure?",
            "Past 88.72 in float32, past 709.78 in float64. Subtract the row's maximum: no weight changes.",
            {"88.72": ("C06", "edge32", ".2f"), "709.78": ("C06", "edge64", ".2f")},
        ),
        (
            "“The scale is there for numerical stability.” Answer?",
            "Half true. exp does overflow: unscaled in float32 at d_k = 4096 the naive softmax loses 99.6 % of the "
            "rows. But subtracting the maximum cures it at any scale: 0.0 %. The scale is against saturation, which "
            "the maximum does not touch.",
            {"99.6 %": ("C06", "naive_4096", ".1%"), "0.0 %": ("C06", "stable", ".1%")},
        ),
        (
            "Normal scores of variance ν, n keys, n large: the entropy of the weights?",
            r"About \(\ln n - \nu/2\) (ν small against \(\ln n\)). With \(\nu = 1\) the weight is spread as if over "
            r"a share \(e^{-1/2}\) of the keys.",
            {},
        ),
        (
            "With 1/√d_k, what still changes the sharpness of attention?",
            "The number of keys (top weight 0.3575 with 8, 0.0059 with 4096) and the size of the entries (σ = 2 "
            "multiplies the variance by 16).",
            {"0.3575": ("C27", "top_8", ".4f"), "0.0059": ("C27", "top_4096", ".4f")},
        ),
    ],
    "gradients": [
        (
            "The Jacobian of softmax?",
            r"\(\mathrm{diag}(p) - p\,p^\top\). Rows and columns sum to 0; \(p_i(1 - p_i)\) is its diagonal.",
            {},
        ),
        ("The backward pass of softmax, without a matrix?", r"\(ds_j = p_j\,(dp_j - \sum_i p_i\,dp_i)\).", {}),
        (
            "How large can the softmax Jacobian be?",
            r"\(\|J\|_F \le \tfrac12\), reached by two weights of one half. Softmax never makes a gradient longer.",
            {},
        ),
        (
            "Use p(1 − p) as the gradient of a loss: what can go wrong?",
            "Even the sign. For weights 0.5, 0.3, 0.2 and the loss 1, 2, 4 per unit of weight it gives 0.250 where "
            "the true slope is −0.450.",
            {"0.250": ("C09", "diagonal", ".3f"), "−0.450": ("C09", "true", ".3f")},
        ),
        (
            "About how long is a row of dQ, as a product of three factors?",
            r"\(\text{scale} \cdot \sqrt{d_k} \cdot \|J\|_F\), for independent keys and values with entries of "
            "variance 1 and a gradient of variance 1 on each weight. The scale multiplies on the way back as well.",
            {},
        ),
        (
            "Do gradients explode without the scale?",
            "Half true. The rms row of dQ is 11.6 times the scaled one at d_k = 64 and 36.9 times at 4096, mostly "
            r"because the factor \(1/\sqrt{d_k}\) is missing on the way back. For wide heads it grows like the fourth "
            r"root of \(d_k\): no explosion.",
            {"11.6": ("C07", "ratio_64", ".1f"), "36.9": ("C07", "ratio_4096", ".1f")},
        ),
        (
            "Do gradients vanish without the scale?",
            "Half true. Not the norm. The median row of dQ: at d_k = 64 it is 0.798 (scaled 0.167), at 512 it is "
            "0.049 (scaled 0.168); at 4096, 68 % of the rows are dead (shorter than 0.002).",
            {
                "0.798": ("C08", "median_64", ".3f"),
                "0.167": ("C08", "scaled_64", ".3f"),
                "0.049": ("C08", "median_512", ".3f"),
                "0.168": ("C08", "scaled_512", ".3f"),
                "68 %": ("C08", "dead_4096", ".0%"),
            },
        ),
        ("Three words for the unscaled gradient at large d_k?", "Sparse, not small.", {}),
    ],
    "shapes": [
        (
            "X is (3, 512), one head has d_k = d_v = 64. Shapes of Q, of the scores, of the head's output?",
            "(3, 64), (3, 3), (3, 64). The width 512 returns after joining 8 heads.",
            {},
        ),
        (
            "Is d_k the number of words?",
            "No. It is the number of columns of W_Q: how many products are added up in each score. The number of "
            "words says how many scores there are.",
            {},
        ),
        (
            "Does the scale make attention faster, or parallel?",
            "Neither. Rows are independent at any scale, and the scale adds 0.78 % of the multiplications of a head "
            "of width 64; none if it is folded into W_Q.",
            {"0.78 %": ("C22", "share", ".2%")},
        ),
        (
            "Softmax makes every row sum to 1. So why scale before it?",
            "Softmax fixes the sum of the weights, the scale the spread of the scores. In one row of our example "
            "the largest weight is 0.978 without and 0.438 with the scale; both rows sum to 1.",
            {"0.978": ("C26", "plain", ".3f"), "0.438": ("C26", "divided", ".3f")},
        ),
    ],
    "alternatives": [
        (
            "Divide by d_k instead of √d_k: variance and entropy at the start?",
            r"Variance \(1/d_k\). At d_k = 512 with 64 keys the entropy is 0.9998 of its maximum, with "
            r"\(\sqrt{d_k}\) it is 0.887.",
            {"0.9998": ("C03", "entropy", ".4f"), "0.887": ("C03", "root_entropy", ".3f")},
        ),
        (
            "The variance of the cosine of two random vectors?",
            r"\(1/d_k\), so \(\sqrt{d_k}\cos(q, k)\) has variance 1: QK-norm needs a factor.",
            {},
        ),
        (
            "What bounds an additive (Bahdanau) score?",
            r"\(\|v\|_1\), not 1. Random layers with 64 hidden units and v from N(0, 1) reach 17.73 on average; the "
            "variance grows with the hidden width.",
            {"17.73": ("C13", "largest", ".2f")},
        ),
        (
            "Why is additive attention slow?",
            r"It has matrix products, but also a tanh for every pair and hidden unit: \(T_q T_k d_a\) of them, "
            "computed and stored.",
            {},
        ),
    ],
    "heads": [
        (
            "Divide by √d_model with h heads: which variance is left?",
            r"\(d_k / d_{model} = 1/h\). Measured with 8 heads: 0.1254. For h > 1 it shrinks too much, never too "
            "little; for one head the two are the same.",
            {"0.1254": ("C04", "variance_8", ".4f")},
        ),
        (
            "GPT-3: d_model = 12 288, 96 heads. d_k and √d_k?",
            r"128, and \(\sqrt{128} = 11.31\).",
            {"11.31": ("C05", "root", ".2f")},
        ),
        (
            "More heads at the same d_model: what changes in parameters and in memory?",
            "The number of parameters stays. The attention weights in memory grow in proportion to h.",
            {},
        ),
    ],
    "training": [
        (
            "Train without the scale at d_k = 512 (reversing a sequence): accuracy with SGD and with Adam?",
            "After 600 steps: 0.29 and 0.19, with the scale 1.00 both times. The loss stays a number: late or stuck, "
            "not broken.",
            {
                "0.29": ("C19", "SGD_512_none", ".2f"),
                "0.19": ("C19", "Adam_512_none", ".2f"),
                "1.00": ("C19", "SGD_512_root", ".2f"),
            },
        ),
        (
            "Reverse a sequence without the scale, one head, d_k = 8: any harm? And with two layers of four heads?",
            "One head: none, accuracy 1.00 without and 0.99 with the scale (SGD). Two layers of four heads, Adam, "
            "after 600 steps: 0.80 and 0.99.",
            {
                "1.00": ("C19", "SGD_8_none", ".2f"),
                "0.99": ("C19", "SGD_8_root", ".2f"),
                "0.80": ("C19", "deep_8_none", ".2f"),
            },
        ),
        (
            "T5 has no 1/√d_k. Why does it train?",
            "Its initialisation absorbs it: the weights start smaller. So does our head: no scale, smaller "
            "initial weights, d_k = 64: accuracy 1.00. What matters is the variance of the scores at the start.",
            {"1.00": ("C19", "folded", ".2f")},
        ),
        (
            "Is Var(q·k) = d_k still true after training?",
            "No. After 1000 steps of recall at d_k = 512 the variance is 23 times d_k, and q and its key are "
            "aligned: cosine 0.68.",
            {"23": ("C20", "end", ".0f"), "0.68": ("C20", "alignment", ".2f")},
        ),
        (
            "Does sharp attention generalise badly?",
            "Not by itself. With the scale, recall at d_k = 512 ends with top weight 1.00 and accuracy 1.00 on "
            "fresh data. Reverse, d_k = 64, trained on 64 sequences: the unscaled head is at 0.19 on fresh ones and "
            "only at 0.34 on its own. It mostly fails to learn.",
            {
                "1.00": ("C18", "right", ".2f"),
                "0.19": ("C18", "fresh_none", ".2f"),
                "0.34": ("C18", "known_none", ".2f"),
            },
        ),
        (
            "When can 1/d_k be the better scale?",
            r"When q and k become aligned: \(q \cdot k\) then grows like \(d_k\). With Adam at 0.03 and d_k = 512, "
            r"recall reaches 1.00 with \(1/d_k\), 0.80 with \(1/\sqrt{d_k}\). Width transfer (muP) uses it.",
            {"1.00": ("C20", "fast_full", ".2f"), "0.80": ("C20", "fast_root", ".2f")},
        ),
    ],
}
