"""How large the house is: lines of code, of prose (docstrings and comments) and functions, by room (`make count`).

A line of code holds something that is neither a docstring nor a comment. The bars are those of the architecture: the
core room by room, from the games to the training loop (without drawing, perfect play, and what is for those who look
into searches and networks at a prompt, which has a budget of its own); the whole package; the tests.
"""

import ast
import io
import tokenize
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
CORE = {"games": 570, "search": 790, "rhea": 155, "play": 280, "network": 900, "training": 400}
"""What the design card calls the small module, from the games to the training loop, with a budget of lines each."""
PROMPT = {"prompt": 460}
"""What is for one who looks: searches and networks that print and draw themselves. No room of the core knows of it."""
BARS = {"core": 3300, "wslib": 10_000, "tests": 13_000}
PARTS = ("wslib/search/plain.py", "tests/faults", "tests/bench")
"""Counted above, and shown apart: the search that is only to be read, and what breaks and measures and is no test."""
BLANK = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


class Size(NamedTuple):
    """Of some files: lines of code, of docstrings and comments, and the lengths of functions."""

    files: int = 0
    code: int = 0
    prose: int = 0
    functions: tuple[int, ...] = ()

    def plus(self, other: "Size") -> "Size":
        return Size(self.files + other.files, self.code + other.code, self.prose + other.prose,
                    self.functions + other.functions)  # fmt: skip


def texts(tree: ast.AST) -> Iterator[ast.Expr]:
    """Docstrings, also those of attributes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node


def size_of(path: Path) -> Size:
    """Of a file."""
    source = path.read_text()
    tree = ast.parse(source)
    docstrings = {n for text in texts(tree) for n in range(text.lineno, (text.end_lineno or 0) + 1)}
    code, comments = set[int](), set[int]()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            comments.add(token.start[0])
        elif token.type not in BLANK:
            code |= set(range(token.start[0], token.end[0] + 1))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef | ast.AsyncFunctionDef)]
    lengths = tuple((n.end_lineno or 0) - n.lineno + 1 for n in functions)
    return Size(1, len(code - docstrings), len(docstrings | comments), lengths)


def of_room(path: Path) -> Size:
    """Of a file, or of all files below a folder."""
    total = Size()
    for file in sorted(path.rglob("*.py")) if path.is_dir() else [path]:
        total = total.plus(size_of(file))
    return total


def told(name: str, size: Size) -> str:
    """A row: the share of prose is that of all lines that hold anything."""
    share = 100 * size.prose / max(1, size.prose + size.code)
    longest = f"{median(size.functions):.0f} / {max(size.functions)}" if size.functions else "–"
    return f"{name:16}{size.files:7}{size.code:9}{share:9.0f} %{longest:>16}"


def main() -> None:
    """Print all rooms, the three sums beside their bars, and parts of them."""
    rooms = {p.stem if p.is_file() else p.name: p for p in sorted((ROOT / "wslib").iterdir())
             if p.suffix == ".py" or (p / "__init__.py").exists()}  # fmt: skip
    sizes = {name: of_room(path) for name, path in rooms.items()}
    budgets = CORE | PROMPT
    print(f"{'':16}{'files':>7}{'code':>9}{'prose':>11}{'median / longest':>16}")
    for name, size in sizes.items():
        print(told(name, size), f"  budget {budgets[name]}: {size.code - budgets[name]:+d}" if name in budgets else "")
    sums = {
        "core": [sizes[name] for name in CORE],
        "wslib": list(sizes.values()),
        "tests": [of_room(ROOT / "tests")],
    }
    print()
    for name, parts in sums.items():
        total = Size()
        for part in parts:
            total = total.plus(part)
        print(told(name, total), f"  at most {BARS[name]}: {'met' if total.code <= BARS[name] else 'NOT MET'}")
    print("\nof which")
    for part in PARTS:
        print(told("  " + part.removeprefix("wslib/").removesuffix(".py"), of_room(ROOT / part)))


if __name__ == "__main__":
    main()
