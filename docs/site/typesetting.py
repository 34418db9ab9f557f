"""Typeset symbols such as d_k, which are plain text in the notebooks' outputs and headings."""

import re

KEPT = r"(?P<kept>`[^`]*`|\$[^$]*\$|<[^>]*>|\]\([^)]*\))"
SYMBOL = re.compile(KEPT + r"|(?P<root>√?)\b(?P<base>[dW])_(?P<index>k|v|model|[QKVOU])\b")


def typeset(text: str) -> str:
    """Turn plain d_k, √d_k, d_model, W_Q … into mathematics, except inside code, mathematics, tags and links."""
    return SYMBOL.sub(symbol, text)


def symbol(found: re.Match) -> str:
    """One match of SYMBOL as mathematics, or unchanged if it's inside something to keep."""
    if found["kept"]:
        return found["kept"]
    name = f"{found['base']}_{{{found['index']}}}"
    return rf"$\sqrt{{{name}}}$" if found["root"] else f"${name}$"


def typeset_headings(text: str) -> str:
    """Typeset headings and summaries, but not the title, which also appears on the browser's tab."""
    return re.sub(r"^(##+ |<details>).*$", lambda line: typeset(line[0]), text, flags=re.MULTILINE)


def mathematics_in_html(text: str) -> str:
    """Mark mathematics in a block of HTML for MathJax, because Markdown isn't parsed there."""
    marked = r'<span class="math notranslate nohighlight">\\(\1\\)</span>'
    block = re.compile(r"^<.*?(?=\n\n|\Z)", re.DOTALL | re.MULTILINE)
    return block.sub(lambda found: re.sub(r"\$([^$]+)\$", marked, found[0]), text)
