# SPDX-License-Identifier: Apache-2.0
"""How Sphinx makes the site; docs/build.py starts it."""
project = "ttune"
author = "the ttune authors"
copyright = "the ttune authors, Apache-2.0"  # noqa: A001 (Sphinx's name)
version = release = "0.1.0"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
root_doc = "docs/index"
exclude_patterns = ["**/build"]
primary_domain = "cpp"
highlight_language = "text"
suppress_warnings = ["misc.highlighting_failure"]
html_theme = "furo"
html_title = "ttune"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"navigation_with_keys": True}
