"""Sphinx's settings for the site: stored outputs as they are, and nothing loaded from elsewhere.

The pages that Sphinx reads are gathered in build/site-source/ by build.py, which also runs it.
"""

project = "Why does attention divide by √dₖ?"
html_title = project
author = "the authors of sdpa-course"
language = "en"

extensions = ["myst_nb", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
nb_execution_mode = "off"
nb_code_prompt_show, nb_code_prompt_hide = "Show the code", "Hide the code"
nb_render_markdown_format = "myst"  # captions and tables can have mathematics and links, like the text
highlight_language = "none"  # blocks that don't name a language are commands and their output
nb_ipywidgets_js = {}  # our own script moves the sliders
suppress_warnings = ["myst.header"]  # a page of docs/ may start one level lower

# MathJax in parts, from the site: no menu and no speech engine, which are three quarters of the usual bundle.
mathjax_path = "mathjax/startup.js"
mathjax3_config = {
    "loader": {"load": ["input/tex", "output/chtml", "a11y/assistive-mml"]},
    "chtml": {"matchFontHeight": False, "scale": 1.12},  # as large as the text around it
}

html_theme = "sphinx_book_theme"
PREDICT = "../../sdpa_course/explore/predict"  # predictions look and work as in a notebook
# Decks and pages move sliders with one script.
html_static_path = ["static", "../../lectures/deck/frames.js", f"{PREDICT}.js", f"{PREDICT}.css"]
html_css_files = ["site.css", "predict.css"]
html_js_files = [(name, {"defer": "defer"}) for name in ("frames.js", "wide.js", "run.js", "found.js")]
html_js_files.append(("predictions.js", {"type": "module"}))
html_favicon = "static/favicon.svg"
html_copy_source = False  # the notebooks are on the downloads page
html_show_sphinx = False
html_use_index = False
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_last_updated_fmt = None
html_theme_options = {
    "home_page_in_toc": True,
    "show_toc_level": 1,
    "use_download_button": False,
    "use_fullscreen_button": False,
    "search_bar_text": "Search the course",
    "navbar_persistent": [],  # one search field, the one in the sidebar, is enough
    "navigation_with_keys": False,  # the arrow keys belong to the sliders
    "pygments_dark_style": "github-dark",
    "footer_content_items": ["extra-footer.html"],
    "extra_footer": "Free to use, change and pass on: MIT License.",
}
