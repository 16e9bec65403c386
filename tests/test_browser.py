"""The built book and JupyterLab in a real browser, as a reader meets them.

`make test` runs these after building the book; they need a Chromium or Chrome that is installed, and are skipped
with a word when there is none. Nothing is downloaded, and nothing but this machine is talked to.
"""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, expect
from test_notebooks import SMOKE, set_parameters

ROOT = Path(__file__).resolve().parent.parent
HTML = ROOT / "_build" / "html"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}

WIDE_ELEMENTS = """() => [...document.querySelectorAll('article *')]
    .filter(element => element.getBoundingClientRect().right > innerWidth + 1)
    .slice(0, 3).map(element => element.outerHTML.slice(0, 120))"""

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(CHROMIUM is None, reason="no Chromium or Chrome here: nothing was looked at in a browser"),
]


def watch(page: Page, allowed: tuple[str, ...]) -> list[str]:
    """Collect what a page must not do: fail, complain, or ask for anything not at an `allowed` address."""
    complaints: list[str] = []

    def request(request: Request) -> None:
        if not request.url.startswith(allowed):
            complaints.append(f"request: {request.url}")

    def console(line: ConsoleMessage) -> None:
        if line.type == "error":
            complaints.append(f"console: {line.text}")

    page.on("request", request)
    page.on("console", console)
    page.on("requestfailed", lambda request: complaints.append(f"failed: {request.url}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    return complaints


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("device", list(WIDTHS))
def test_every_page_loads_quietly_and_fits(browser: Browser, device: str, theme: str):
    width, height = WIDTHS[device]
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=theme)
    context.add_init_script(f"localStorage.setItem('mode', '{theme}'); localStorage.setItem('theme', '{theme}');")
    found = []
    files = sorted((HTML / "book").rglob("*.html"))
    assert files, "the book has no pages; build it with `make book`"
    for file in files:
        page = context.new_page()
        complaints = watch(page, ("file:", "data:", "blob:"))
        page.goto(file.as_uri(), wait_until="load")
        page.wait_for_function("!window.MathJax || (window.MathJax.startup && window.MathJax.startup.promise)")
        page.evaluate("window.MathJax ? window.MathJax.startup.promise.then(() => true) : true")
        if page.locator("html").get_attribute("data-theme") != theme:
            complaints.append(f"the theme is not {theme}")
        inside, outside = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
        if inside > outside:
            complaints.append(f"{inside} px wide in a window of {outside}: {page.evaluate(WIDE_ELEMENTS)}")
        found += [f"{file.relative_to(HTML)} ({device}, {theme}): {complaint}" for complaint in complaints]
        page.close()
    context.close()
    assert not found, "\n".join(found)


def test_the_search_of_the_book_finds_a_page_without_a_server(browser: Browser):
    page = browser.new_page()
    complaints = watch(page, ("file:", "data:", "blob:"))
    page.goto((HTML / "search.html").as_uri() + "?q=playout")
    page.wait_for_selector("#search-results li a", timeout=20_000)
    page.close()
    assert not complaints, "\n".join(complaints)


@pytest.fixture
def lab(tmp_path: Path) -> Iterator[str]:
    """A JupyterLab of this environment at a free port, with an empty store and no memory of earlier visits.

    It has a repository with the tour, and saves by itself after seconds.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {
        "WSLIB_STORE": str(tmp_path / "store"),
        "JUPYTERLAB_WORKSPACES_DIR": str(tmp_path / "workspaces"),
        "JUPYTERLAB_SETTINGS_DIR": str(tmp_path / "settings"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
    }
    root = repository(tmp_path / "root")
    (tmp_path / "settings" / "@jupyterlab" / "docmanager-extension").mkdir(parents=True)
    saving = tmp_path / "settings" / "@jupyterlab" / "docmanager-extension" / "plugin.jupyterlab-settings"
    saving.write_text('{"autosaveInterval": 2}', encoding="utf-8")
    log = (tmp_path / "lab.log").open("w")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={root}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(480):  # two minutes, for a machine that does much else
            try:
                urllib.request.urlopen(f"{address}/api", timeout=1).close()
                break
            except (urllib.error.URLError, OSError):
                assert server.poll() is None, (tmp_path / "lab.log").read_text()
                time.sleep(0.25)
        else:
            pytest.fail("JupyterLab did not start: " + (tmp_path / "lab.log").read_text())
        yield address
    finally:
        server.terminate()
        try:
            server.wait(15)
        except subprocess.TimeoutExpired:
            server.kill()
        log.close()


def repository(root: Path) -> Path:
    """A repository of its own with the tour, to be run in seconds, and what says how notebooks are saved."""
    (root / "notebooks").mkdir(parents=True)
    for name in ("pyproject.toml", "notebooks/start.py"):
        shutil.copy(ROOT / name, root / name)
    set_parameters(root / "notebooks" / "start.py", SMOKE)
    for words in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "as it was"]):
        git(root, *words)
    return root


def git(root: Path, *words: str) -> str:
    """What git says in a repository."""
    who = ["-c", "user.name=A reader", "-c", "user.email=reader@example.org"]
    return subprocess.run(["git", *who, *words], cwd=root, check=True, capture_output=True, text=True).stdout


def run_all(page: Page) -> None:
    """Run all cells of the notebook that is open; one that fails, or does not run, fails the test."""
    # The command behind "Run All Cells"; the menus themselves open too slowly on a busy machine to be clicked reliably.
    page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    deadline = time.monotonic() + 240
    cells: list[dict] = []
    while time.monotonic() < deadline:
        # The notebook as Lab holds it: of a long one, only the cells in view are in the page.
        cells = page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")
        cells = [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
        errors = [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
        assert not errors, "\n".join(errors[0]["traceback"])
        if all(cell["execution_count"] for cell in cells):
            return
        page.wait_for_timeout(500)
    waiting = [cell["source"] for cell in cells if not cell["execution_count"]]
    pytest.fail(f"{len(waiting)} of {len(cells)} cells did not run; the first: {waiting[0]}")


def test_the_tour_of_jupyterlab_opens_from_its_py_runs_and_can_be_played_on(browser: Browser, lab: str, tmp_path: Path):
    page = browser.new_page(viewport={"width": 1280, "height": 1000})
    here = lab.removeprefix("http://")
    complaints = watch(page, (lab, f"ws://{here}", "data:", "blob:"))
    page.goto(f"{lab}/lab/tree/notebooks/start.py?reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    assert page.locator(".jp-FileEditor").count() == 0, "the .py file opened in the text editor"
    page.wait_for_function(
        """() => {
            const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
            return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
        }""",
        timeout=60_000,
    )
    run_all(page)
    page.locator(".jp-Notebook .jp-CodeCell").first.scroll_into_view_if_needed()
    board, thought = page.locator(".ws-lab").nth(0), page.locator(".ws-lab").nth(1)
    board.locator("[role=gridcell][aria-disabled=false]").nth(3).click()
    expect(board.locator("[role=status]")).to_contain_text("It plays", timeout=60_000)
    before = thought.locator("svg").inner_html()
    thought.get_by_label("Shade by").select_option("q")
    assert thought.locator("svg").inner_html() != before
    board.locator("[tabindex='0']").focus()
    page.keyboard.press("u")  # the board's key, and no shortcut of the notebook
    expect(board.locator("[role=status]")).to_contain_text("Taken back", timeout=20_000)
    page.get_by_text("Simulation by simulation", exact=True).click()
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".ws-told")).to_contain_text("Simulation 1. Expand: ", timeout=20_000)
    page.wait_for_function("!window.jupyterapp.shell.currentWidget.content.model.dirty", timeout=60_000)
    page.close()
    saved = (tmp_path / "root" / "notebooks" / "start.py").stat().st_mtime_ns
    assert saved > (tmp_path / "root" / "pyproject.toml").stat().st_mtime_ns + 5e9, "it was not saved"
    assert not git(tmp_path / "root", "diff"), "a notebook that was opened and saved is as it was"
    outside = [complaint for complaint in complaints if complaint.startswith("request:")]
    assert not outside, "\n".join(outside)
