"""What is shown, read back from its HTML without the project's code: rows of tables, words in pictures, data behind."""

import base64
import re

from bs4 import BeautifulSoup, Tag

from wslib.study.report.look import Html


def rows(table: Html | Tag) -> list[dict[str, str]]:
    """The rows of a table, each cell by its head."""
    tag = table if isinstance(table, Tag) else BeautifulSoup(table.html, "html.parser")
    head, *rest = ([cell.get_text(" ", strip=True) for cell in row.select("th, td")] for row in tag.select("tr"))
    assert len(set(head)) == len(head)
    return [dict(zip(head, row, strict=True)) for row in rest]


def words(figure: Html) -> list[str]:
    """The words in a figure's pictures."""
    return [re.sub(r"<[^>]+>", "", text) for text in re.findall(r"<text[^>]*>(.*?)</text>", figure.html, re.DOTALL)]


def behind(table_or_figure: Html) -> str:
    """The CSV that its link holds."""
    (packed,) = re.findall(r'href="data:text/csv;charset=utf-8;base64,([^"]+)"', table_or_figure.html)
    return base64.b64decode(packed).decode()
