"""What models that people use multiply their dot products by, each with where it was read. Used in notebook 10.

The factor is for entries of size 1, as drawn or as a normalisation leaves them (gains at 1), so that a cosine times g
counts as g/d_k and factors can be compared.
"""

import math
from typing import NamedTuple

HF = "https://github.com/huggingface/transformers/blob/main/src/transformers/models"


class Shipped(NamedTuple):
    """One model."""

    model: str
    d_k: int
    factor: float
    formula: str
    after: str  # what's done to q and k first, or to the scores afterwards
    source: str
    read: bool  # in that file, by us; otherwise second hand, or the width is

    @property
    def variance(self) -> float:
        """Of a score at the start, for independent entries of size 1."""
        return self.d_k * self.factor**2


SHIPPED = (
    Shipped("GPT-2", 64, 1 / 8, "1/√64", "", "https://github.com/openai/gpt-2/blob/master/src/model.py", True),
    Shipped(
        "Whisper", 64, 1 / 8, "64^(−¼) twice", "", "https://github.com/openai/whisper/blob/main/whisper/model.py", True
    ),
    Shipped("T5", 64, 1.0, "1", "W_Q starts at 1/√64 of its size, so in fact 1.00", f"{HF}/t5/modeling_t5.py", False),
    Shipped("GPT-Neo", 128, 1.0, "1", "", f"{HF}/gpt_neo/modeling_gpt_neo.py", True),
    Shipped(
        "CvT, last stage", 64, 1 / math.sqrt(384), "1/√384", "",
        "https://github.com/microsoft/CvT/blob/main/lib/models/cls_cvt.py", False,
    ),
    Shipped(
        "Grok-1", 128, 0.08838834764831845, "1/√128", "cap 30", "https://github.com/xai-org/grok-1/blob/main/run.py",
        True,
    ),
    Shipped(
        "Gemma 2 9B", 256, 1 / 16, "1/√256", "cap 50",
        "https://github.com/google/gemma_pytorch/blob/main/gemma/config.py", True,
    ),
    Shipped(
        "Gemma 2 27B", 128, 1 / 12, "1/√144", "cap 50",
        "https://github.com/google/gemma_pytorch/blob/main/gemma/config.py", True,
    ),
    Shipped(
        "Gemma 3 27B", 128, 1 / math.sqrt(168), "1/√168", "RMSNorm per head",
        f"{HF}/gemma3/convert_gemma3_weights.py", True,
    ),
    Shipped("Gemma 4", 256, 1.0, "1", "RMSNorm per head", f"{HF}/gemma4/modular_gemma4.py", True),
    Shipped("Qwen3", 128, 1 / math.sqrt(128), "1/√128", "RMSNorm per head", f"{HF}/qwen3/modular_qwen3.py", True),
    Shipped("OLMo 2", 128, 1 / math.sqrt(128), "1/√128", "RMSNorm, all heads", f"{HF}/olmo2/modular_olmo2.py", True),
    Shipped("Llama 4", 128, 1 / math.sqrt(128), "1/√128", "RMSNorm, no gains", f"{HF}/llama4/modeling_llama4.py", True),
    Shipped("Granite 3 8B", 128, 1 / 128, "1/128", "", f"{HF}/granite/modeling_granite.py", False),
    Shipped("Inkling", 128, 1 / 128, "1/128", "RMSNorm per head", f"{HF}/inkling/modeling_inkling.py", True),
    Shipped(
        "nGPT", 64, 1 / 8, "√64 · cosine", "unit length", "https://github.com/NVIDIA/ngpt/blob/main/model.py", False
    ),
    Shipped("Swin V2", 32, 10 / 32, "10 · cosine", "unit length", f"{HF}/swinv2/modeling_swinv2.py", False),
    Shipped(
        "nanochat", 128, 1.44 / math.sqrt(128), "1.2²/√128", "RMSNorm, no gains",
        "https://github.com/karpathy/nanochat/blob/master/nanochat/gpt.py", False,
    ),
    Shipped(
        "modded-nanogpt", 128, 0.12, "0.12", "RMSNorm, no gains",
        "https://github.com/KellerJordan/modded-nanogpt/blob/master/train_gpt.py", False,
    ),
    Shipped(
        "DeepSeek-V3", 192, (0.1 * math.log(40) + 1) ** 2 / math.sqrt(192), "1.87/√192", "YaRN, 40 times longer",
        "https://github.com/deepseek-ai/DeepSeek-V3/blob/main/inference/model.py", True,
    ),
)  # fmt: skip
