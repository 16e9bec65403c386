"""The built book as files: links, pages, alternative texts, and nothing from elsewhere.

`make test` builds the book and then runs these; by itself, pytest skips them (see ``conftest.py``).
"""

import re
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup, Tag

pytestmark = pytest.mark.book

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
# What the theme adds to the chapters.
EXTRA_PAGES = {"index.html", "genindex.html", "search.html"}
PAGES = 35
"""Chapters: so that none is lost together with its entry in the table of contents."""
LOADS = ["script", "link", "img", "iframe", "source", "object", "video", "audio", "embed"]
# A missing number, a traceback, a warning, a role that nothing has read.
SIGNS_OF_TROUBLE = re.compile(
    r"\bnan\b|\bNaN\b|Traceback \(most recent call last\)|\bWARNING:|\{(?:glue|doc|cite|term|numref)[^}]*\}`"
)


def toc_entries() -> list[str]:
    toc = yaml.safe_load((ROOT / "book" / "_toc.yml").read_text(encoding="utf-8"))

    def files(node: object) -> list[str]:
        if isinstance(node, dict):
            return [v for k, v in node.items() if k in ("root", "file")] + [f for v in node.values() for f in files(v)]
        return [f for item in node for f in files(item)] if isinstance(node, list) else []

    return files(toc)


def pages() -> list[Path]:
    # In _static the theme leaves templates of its own.
    found = sorted(path for path in HTML.rglob("*.html") if "_static" not in path.parts)
    assert found, "the book is not built; run `make book`"
    return found


@cache
def soup(page: Path) -> BeautifulSoup:
    return BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser")


@cache
def anchors(page: Path) -> set[str]:
    return {tag[key] for key in ("id", "name") for tag in soup(page).find_all(attrs={key: True})}


def article(page: Path) -> Tag:
    return soup(page).find("article") or soup(page)


def where(page: Path) -> str:
    return str(page.relative_to(HTML))


def test_the_book_has_the_pages_of_its_table_of_contents_and_no_others():
    built = {where(page) for page in pages()} - EXTRA_PAGES
    assert len(built) == PAGES
    assert built == {f"{entry}.html" for entry in toc_entries()}


def test_every_notebook_is_in_the_table_of_contents():
    missing = {f"book/runs/{path.stem}" for path in (ROOT / "notebooks").glob("*.py")} - set(toc_entries())
    missing -= {"book/runs/start"}  # the tour of JupyterLab
    assert not missing, f"not in book/_toc.yml: {sorted(missing)}"


def test_every_internal_link_leads_somewhere():
    broken = []
    for page in pages():
        for element in soup(page).find_all(["a", "img", "script", "link", "source", "object"]):
            target = element.get("href") or element.get("src") or element.get("data") or ""
            url = urlsplit(target)
            if url.scheme or url.netloc or not target:
                continue
            file = (page.parent / unquote(url.path)).resolve() if url.path else page
            if not file.is_file():
                broken.append(f"{where(page)}: {target}")
                continue
            to_a_place = url.fragment and file.suffix == ".html" and element.name == "a"
            if to_a_place and unquote(url.fragment) not in anchors(file):
                broken.append(f"{where(page)}: {target}")
    assert not broken, "\n".join(broken)


def test_nothing_is_loaded_from_elsewhere():
    foreign = []
    for page in pages():
        for element in soup(page).find_all(LOADS):
            # Of the links in a page's head, these two are fetched; the others only point.
            if element.name == "link" and not {"stylesheet", "icon"} & set(element.get("rel") or []):
                continue
            target = element.get("src") or element.get("href") or element.get("data") or ""
            if urlsplit(target).netloc:
                foreign.append(f"{where(page)}: {target}")
        for style in [tag.get_text() for tag in soup(page).find_all("style")]:
            foreign += [f"{where(page)}: {url}" for url in re.findall(r"url\(['\"]?((?:https?:)?//[^)]+)\)", style)]
    for sheet in HTML.rglob("*.css"):
        text = sheet.read_text(encoding="utf-8", errors="replace")
        urls = re.findall(r"(?:url\(|@import )['\"]?((?:https?:)?//[^)'\"]+)", text)
        foreign += [f"{where(sheet)}: {url}" for url in urls]
    assert not foreign, "\n".join(foreign)


def test_every_figure_says_in_words_what_it_shows():
    silent = []
    for page in pages():
        for image in article(page).find_all("img"):
            alt = (image.get("alt") or "").strip()
            # Without a text of its own, an image gets its file name.
            if not alt or alt.endswith((".png", ".svg")):
                silent.append(f"{where(page)}: {str(image)[:150]}")
        for svg in article(page).find_all("svg"):
            hidden = svg.get("aria-hidden") == "true" or svg.find_parent(attrs={"aria-hidden": "true"})
            named = svg.get("aria-label") or svg.get("aria-labelledby") or svg.find("title", recursive=False)
            labelled_parent = svg.find_parent(attrs={"aria-label": True, "role": "img"})
            if not (hidden or named or labelled_parent):
                silent.append(f"{where(page)}: {str(svg)[:150]}")
    assert not silent, "\n".join(silent)


def test_no_page_shows_an_error_or_a_missing_number():
    wrong = []
    for page in pages():
        text = article(page).get_text(" ")
        for match in SIGNS_OF_TROUBLE.finditer(text):
            wrong.append(f"{where(page)}: {text[max(0, match.start() - 60) : match.end() + 40]!r}")
    assert not wrong, "\n".join(wrong)


# Terms that are no everyday words, as they stand in a sentence.
TERMS = ("AMAF", "Baseline", "Elo", "MCTS", "RAVE", "RHEA", "RoRa", "Rollout", "WRo", "WRoRa", "ordering", "preset")


def test_a_page_links_a_term_to_the_glossary_where_it_first_uses_it_and_only_there():
    wrong = []
    for page in pages():
        prose = BeautifulSoup(str(article(page)), "html.parser")
        for other in prose.select(
            "figure, .cell_output table, pre, code, h1, h2, h3, script, details, .ws-downloads, .output.text_html"
        ):
            other.decompose()
        if page.stem in ("glossary", "bibliography", *(name.removesuffix(".html") for name in EXTRA_PAGES)):
            continue
        links = [unquote(a["href"].partition("#term-")[2]) for a in prose.select('a[href*="glossary.html#term-"]')]
        wrong += [f"{where(page)}: {term} twice" for term in set(links) if links.count(term) > 1]
        for link in prose.find_all("a"):
            link.replace_with(" ¦ " if "#term-" in link.get("href", "") else "")
        text = prose.get_text()
        wrong += [
            f"{where(page)}: {t}" for t in TERMS if t not in links and re.search(rf"(?<![\w’'-]){t}(?![\w-])", text)
        ]
    assert not wrong, "\n".join(wrong)


def test_what_a_reader_sees_of_a_page_with_results_names_no_module():
    named = []
    for page in pages():
        prose = BeautifulSoup(str(article(page)), "html.parser")
        for other in prose.select("pre, script, style, .highlight"):
            other.decompose()
        for match in re.finditer(r"\bwslib[./]\w[\w./]*|(?:\b\w+/)+\w+\.py\b", prose.get_text(" ")):
            before = prose.get_text(" ")[: match.start()].rsplit(maxsplit=1)[-1:]
            if before not in (["python"], ["papermill"], ["from"], ["import"]):
                named.append(f"{where(page)}: {match[0]}")
    assert not named, "\n".join(named)


def test_every_source_is_cited_in_the_text():
    sources = re.findall(r"^@\w+\{([^,]+),", (ROOT / "book" / "references.bib").read_text(encoding="utf-8"), re.M)
    texts = [*(ROOT / "book").glob("*.md"), *(ROOT / "notebooks").glob("*.py")]
    cited = "".join(path.read_text(encoding="utf-8") for path in texts if path.stem != "bibliography")
    assert sources and not [name for name in sources if name not in cited]


def test_every_notebook_page_offers_its_notebook_and_its_source():
    for entry in toc_entries():
        if entry.startswith("book/runs/"):
            line = soup(HTML / f"{entry}.html").find(class_="ws-downloads")
            assert line is not None, f"{entry} has no download line"
            names = {Path(unquote(a["href"])).name for a in line.find_all("a")}
            name = entry.rsplit("/", 1)[1]
            assert {f"{name}.ipynb", f"{name}.py"} <= names


def test_formulas_are_drawn_by_the_copy_of_mathjax_that_comes_with_the_book():
    # Sphinx loads it only on pages with formulas; some page has one.
    assert any(soup(page).find("script", src=re.compile(r"_static/mathjax/tex-svg\.js")) for page in pages())
