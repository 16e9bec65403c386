"""The prose of the book: a number in it is computed, or it is a name; and every chapter ends as chapters end.

What a table holds must not be typed a second time, because only the table follows the data. So each digit in the pages
written by hand, and in the text cells of notebooks, is in a role that computes it, in code, in a formula or in a link;
or it is part of something on the list below, with the reason why that is no result.
"""

import re
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "book").glob("*.md"))
# JupyterLab keeps what it last saved in a hidden folder beside a notebook.
NOTEBOOKS = sorted(p for p in (ROOT / "notebooks").rglob("*.py") if p.parent.name != ".ipynb_checkpoints")
NOT_CHAPTERS = {"intro", "status", "glossary", "bibliography", "start"}

# Markup, in the order in which it is taken out; what is left is prose.
MARKUP = [
    r"\$\$[^$]+\$\$",
    r"\$[^$\n]+(?:\n[^$\n]+)?\$",
    r"\{[\w:-]+\}`[^`]*`",  # roles: glue, doc, cite, term
    r"`[^`]*`",
    r"\]\([^)]*\)",
    r"<https?:[^>]*>",
    r"^\s*\d+\.(?=\s)",  # items of a list
]
_PART = r"(?:[Cc]hapters?|[Ss]ections?|[Tt]ables?|[Ff]igures?|Fig\.|[Aa]lgorithms?|Alg\.|[Ee]quations?|eq\.)"
ALLOWED = {
    # What it is, and so why it is no result: how it is written.
    "a board's size": r"\b\d+×\d+\b",
    "a place in the thesis": rf"\b{_PART} \d+(?:\.\d+)*(?:(?:, | and | to )\d+(?:\.\d+)*)*",
    "a claim of the thesis, by its number": r"\b[Cc]laims? \d(?: and \d)?\b",
    "I′, a parameter of the thesis": r"I['′] = \d\b",
    "the search called UCB1": r"\bUCB1\b",
    "won, drawn and lost, as values": r"\[−1, 1\]|[+−]1\b|\b0 a draw\b",
    "the zero of a scale": r"\bElo 0\b",
    "levels of tests and intervals, fixed before the results": r"\b(?:tests? at|p below) 5 %|\b95 % interval"
    r"|\bp < 0\.05",
    "bounds of verdicts and bars, fixed before the results": r"\bmore than 60 % in Connect Four|\bpower of 80 %"
    r"|\b(?:interval above|one side of) 50 %|\blies below \+20 Elo \(win rates: 53 %\)"
    r"|\bdifference of 50 Elo \(7 points\)|\bafter Holm, at 5 % or more|\bcorrected p below 5 %"
    r"|\binterval lies within ±30 Elo \(±3 points\)",
    "chess values of a rating program": r"\b32\.8\b|\b97\.3\b",
    "settings that a source or a preset fixes": r"\b(?:100|200) simulations\b|\bwith 200\b"
    r"|\b(?:32|256) channels\b|\b10 epochs\b|\b500 games a pair\b|\b100 rollouts\b|\bweight 1/2",
    "a spread that an exercise assumes": r"\bdeviation of 50 Elo\b",
    "words of the thesis, quoted": r"50 work too, \"albeit worse than with 100\"",
}


def without_blocks(text: str) -> str:
    """The text without blocks of code. Of a directive only its frame goes: a hint's text is prose."""
    kept, directives, code = [], 0, ""
    for line in text.split("\n"):
        fence = re.match(r"\s*(`{3,}|:{3,})(.*)", line)
        if code:
            code = "" if line.strip() == code else code
        elif fence and not fence[2].strip():
            directives, code = (directives - 1, "") if directives else (0, fence[1])
        elif fence:
            directives, code = (directives + 1, "") if fence[2].startswith("{") else (directives, fence[1])
        kept.append("" if fence or code else line)
    assert not (directives or code), "a block is not closed"
    return "\n".join(kept)


def prose_of(text: str) -> str:
    """The text without markup; line numbers stay."""
    text = without_blocks(text)
    for pattern in MARKUP:
        text = re.sub(pattern, lambda match: "\n" * match[0].count("\n") or " ", text, flags=re.MULTILINE)
    return text


def unexplained(text: str) -> str:
    """The prose without the numbers that something on the list explains."""
    text = prose_of(text)
    for pattern in ALLOWED.values():
        # A name may be broken over two lines.
        text = re.sub(pattern.replace(" ", r"\s+"), lambda match: "\n" * match[0].count("\n"), text)
    return text


def typed_numbers(text: str) -> list[str]:
    """Every line of prose with a digit that nothing explains, with its number."""
    lines = enumerate(unexplained(text).splitlines(), 1)
    return [f"line {number}: {line.strip()}" for number, line in lines if re.search(r"\d", line)]


def text_of(path: Path) -> str:
    """A page's text, or that of a notebook's text cells."""
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return "\n\n".join(cell.source for cell in jupytext.read(path).cells if cell.cell_type == "markdown")


def sections(path: Path) -> dict[str, str]:
    """The text below each heading of the second rank."""
    parts = re.split(r"^## (.+)$", text_of(path), flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


each_text = pytest.mark.parametrize("path", [*PAGES, *NOTEBOOKS], ids=lambda path: path.stem)
each_chapter = pytest.mark.parametrize(
    "path", [page for page in [*PAGES, *NOTEBOOKS] if page.stem not in NOT_CHAPTERS], ids=lambda path: path.stem
)


@each_text
def test_no_number_is_typed_into_prose(path: Path):
    typed = typed_numbers(text_of(path))
    assert not typed, f"{path.relative_to(ROOT)}, in its text: compute these numbers, or write words:\n" + "\n".join(
        typed
    )


@pytest.mark.parametrize(
    "text",
    [
        "It wins 72 % of the games.",
        "* RAVE scores 61.5 % there",
        "Elo rises to 240, see Table 5.1.",
        "A list:\n\n1. of 9 runs",
        "```{dropdown} A solution\nAbout 12 games.\n```",
        "before `code 1` and 7 after `code 2`",
        "The first $x$ is 3 and the second $y$",
        "```python\nx = 1\n```\nand 4 runs\n```python\ny = 2\n```",
        "At 5 % it is found in 8 of 9",
        "```{dropdown} A solution\nwords\n```\nand 4 runs\n```{dropdown} A solution\nwords\n```",
    ],
)
def test_a_typed_number_is_found(text: str):
    assert typed_numbers(text)


@pytest.mark.parametrize(
    "text",
    [
        "It wins {glue:text}`runs/a.ipynb::score_1:s` % of {glue:text}`games:s`.",
        "See [Table 5.1](orientation.ipynb#cell-12) and `x = 3`, chapters 5 and 6, equations 5.5,\n5.6.",
        "$$a = 1 + 2$$ and $b = 3$ on 6×6",
        "1. one\n2. two",
        "```bash\npapermill x.py -p games 20\n```\nwords",
        "Claims 3 and 4, a test at 5 %; UCB1",
    ],
)
def test_computed_numbers_code_formulas_and_names_are_no_typed_numbers(text: str):
    assert not typed_numbers(text)


def test_nothing_is_on_the_list_that_no_text_needs():
    whole = "\n".join(prose_of(text_of(path)) for path in [*PAGES, *NOTEBOOKS])
    unused = [name for name, pattern in ALLOWED.items() if not re.search(pattern.replace(" ", r"\s+"), whole)]
    assert not unused


@each_chapter
def test_a_chapter_has_two_exercises_whose_solutions_are_hidden(path: Path):
    exercises = sections(path)["Exercises"]
    asked = re.findall(r"^(\d)\. ", exercises, flags=re.MULTILINE)
    assert asked == ["1", "2"]
    after = re.split(r"^\d\. ", exercises, flags=re.MULTILINE)[1:]
    # JupyterLab knows nothing of directives, so notebooks have the plain HTML for what is folded.
    folded = "<details><summary>" if path.suffix == ".py" else "```{dropdown}"
    assert all(part.count(folded) == 1 for part in after), "each is followed by its solution"


@each_chapter
def test_a_chapter_ends_with_its_differences_from_the_thesis_and_how_to_run_it(path: Path):
    found = sections(path)
    assert list(found)[-2:] == ["Differences from the thesis", "Run it yourself"]
    numbers = re.findall(r"^(\d+)\. ", found["Differences from the thesis"], flags=re.MULTILINE)
    assert numbers == [str(k) for k in range(1, len(numbers) + 1)] and numbers, "they are numbered"
    how = found["Run it yourself"]
    command = (
        rf"papermill notebooks/{path.stem}\.py" if path.suffix == ".py" else r"papermill notebooks/\w+\.py|wslib \w+"
    )
    assert re.search(command, how), "the exact line"
    assert re.search(r"\b(?:takes?|seconds?|minutes?|hours?)\b", how), "how long it takes"


@pytest.mark.parametrize(
    "typed",
    [
        "RAVE wins 53 % of the games.", "WRoRa won 95 % of its games.", "Its advantage is +20 Elo.", "more than 60 %",
        "The score is 5 %.", "Elo 1", "won 12 games", "p is 0.05",
    ],
)  # fmt: skip
def test_a_result_that_is_typed_is_found(typed: str):
    assert typed_numbers(f"A sentence.\n\n{typed}\n")


@pytest.mark.parametrize(
    "path",
    [path for path in NOTEBOOKS if path.stem not in {"games", "searches", "learning", "positions", "play", "start"}],
    ids=lambda path: path.stem,
)
def test_a_page_with_results_says_what_came_out_before_anything_else(path: Path):
    assert next(iter(sections(path))) == "In short"
