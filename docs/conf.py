"""Settings of the manual, which script/docs makes with Sphinx: https://www.sphinx-doc.org."""
import re

project = "Reprise"
copyright = "the Reprise authors"
extensions = ["myst_parser"]
myst_heading_anchors = 4
root_doc = "docs/index"
# Decisions and lists of declarations are for contributors, who read them in the repository.
exclude_patterns = ["docs/decisions", "docs/api"]
html_theme = "furo"
html_title = "Reprise"
html_copy_source = False
# Options such as --check keep their hyphens.
smartquotes = False
html_show_sphinx = False
# Swift in excerpts is not always a whole program.
suppress_warnings = ["misc.highlighting_failure"]


def contents(app, name, source):
    """Makes the sidebar of the sections of the index: each heading with its list of links."""
    if name == root_doc:
        for title, section in re.findall(r"^## (.*)\n((?:(?!^## ).*\n?)*)", source[0], re.MULTILINE):
            pages = re.findall(r"^- \[[^]]*\]\(([^):#]+)\.md\)", section, re.MULTILINE)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {title}\n\n" + "\n".join(pages) + "\n```\n"


def outside(app, document):
    """Turns links to files that are not pages, such as examples, into plain text."""
    from docutils import nodes
    from sphinx import addnodes
    for link in list(document.findall(addnodes.pending_xref)):
        target = link.get("reftarget", "")
        if re.match(r"(\.\./)*(Sources|Tests|Examples|Benchmarks|script|systemd|config|docs/decisions|decisions)\b", target):
            link.replace_self(nodes.inline("", "", *link.children))


def setup(app):
    app.connect("source-read", contents)
    app.connect("doctree-read", outside)
