"""Writes pages/llms.txt, the list of all pages for programs that read documentation (https://llmstxt.org).

Titles and order are those of `nav` in mkdocs.yml, and each line ends with the first sentence of its page.
"""

from __future__ import annotations

import re
from pathlib import Path

HERE = Path(__file__).parent
HEADING = """# rankduel

> Which of many rankers, prompts or models is best, found from clicks and judgements at the least cost to users: dueling bandits,
> interleaving, multileaving, click models, a live server, and verdicts from logs. Rust, a command line, and Python.
"""


def first_sentence(page: Path) -> str:
    """The first sentence of plain text below the heading, without links and emphasis."""
    for paragraph in page.read_text().split("\n\n"):
        if paragraph.startswith(("#", "!", "```", "|", "<", ":::", "*Seven")):
            continue
        text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", " ".join(paragraph.split()))
        return re.split(r"(?<=[.:?])\s", text.replace("**", ""))[0].rstrip(":")
    return ""


def listing() -> str:
    """The text of the file."""
    lines = [HEADING]
    nav = (HERE / "mkdocs.yml").read_text().split("\nnav:\n")[1]
    for line in nav.splitlines():
        entry = re.fullmatch(r"( *)- (.+?): ?(\S+\.md)?", line)
        if not entry:
            continue
        _, title, page = entry.groups()
        if page is None:
            lines.append(f"\n## {title}\n")
        elif page.startswith("notebooks/"):
            # Built from docs/notebooks.
            lines.append(f"- [{title}]({page.replace('.md', '.html')})")
        else:
            sentence = first_sentence(HERE / "pages" / page)
            lines.append(f"- [{title}]({page.replace('.md', '.html')})" + (f": {sentence}" if sentence else ""))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    (HERE / "pages/llms.txt").write_text(listing())
