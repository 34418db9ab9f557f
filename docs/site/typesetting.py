"""Symbols that the notebooks' outputs and headings have as plain text, such as d_k, set as the text around them is."""

import re

KEPT = r"(?P<kept>`[^`]*`|\$[^$]*\$|<[^>]*>|\]\([^)]*\))"
SYMBOL = re.compile(KEPT + r"|(?P<root>√?)\b(?P<base>[dW])_(?P<index>k|v|model|[QKVOU])\b")


def typeset(text: str) -> str:
    """Markdown whose plain d_k, √d_k, d_model, W_Q … are mathematics. Code, mathematics, tags and links stay."""
    return SYMBOL.sub(symbol, text)


def symbol(found: re.Match) -> str:
    """One of them."""
    if found["kept"]:
        return found["kept"]
    name = f"{found['base']}_{{{found['index']}}}"
    return rf"$\sqrt{{{name}}}$" if found["root"] else f"${name}$"


def typeset_headings(text: str) -> str:
    """Markdown with its headings and summaries typeset; the title is not: it also stands on the browser's tab."""
    return re.sub(r"^(##+ |<details>).*$", lambda line: typeset(line[0]), text, flags=re.MULTILINE)


def mathematics_in_html(text: str) -> str:
    """In a block of HTML, up to an empty line, Markdown is left alone and so is mathematics: mark it for MathJax."""
    marked = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
    block = re.compile(r"^<.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
    return block.sub(lambda found: re.sub(r"\$([^$]+)\$", marked, found[0]), text)
