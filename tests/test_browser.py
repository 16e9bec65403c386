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
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

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


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield browser
        browser.close()


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
    """A JupyterLab of this environment at a free port, with an empty store and no memory of earlier visits."""
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
    # Lab saves what it opens, so it gets a copy of the notebooks.
    (tmp_path / "root" / "notebooks").mkdir(parents=True)
    for source in (ROOT / "notebooks").glob("*.py"):
        shutil.copy(source, tmp_path / "root" / "notebooks")
    log = (tmp_path / "lab.log").open("w")
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    command += ["--ServerApp.port_retries=0", "--IdentityProvider.token=", f"--ServerApp.root_dir={tmp_path / 'root'}"]
    command += ["--LabApp.expose_app_in_browser=True"]
    server = subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(120):
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


# Opened in Lab as a copy, in which its smoke parameters are written over its own.
LAB_NOTEBOOK = "orientation"


def test_jupyterlab_opens_a_py_file_as_a_notebook_and_runs_it(browser: Browser, lab: str, tmp_path: Path):
    from test_notebooks import SMOKE, set_parameters

    source = tmp_path / "root" / "notebooks" / f"{LAB_NOTEBOOK}.py"
    set_parameters(source, SMOKE)
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    here = lab.removeprefix("http://")
    complaints = watch(page, (lab, f"ws://{here}", "data:", "blob:"))
    page.goto(f"{lab}/lab/tree/notebooks/{LAB_NOTEBOOK}.py?reset")
    page.wait_for_selector(".jp-Notebook .jp-CodeCell", timeout=60_000)
    assert page.locator(".jp-FileEditor").count() == 0, "the .py file opened in the text editor"
    page.evaluate("window.jupyterapp.shell.currentWidget.sessionContext.ready")
    page.wait_for_function(
        """() => {
            const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session?.kernel;
            return kernel && kernel.connectionStatus === 'connected' && kernel.status === 'idle';
        }""",
        timeout=60_000,
    )
    # The command behind "Run All Cells"; the menus themselves open too slowly on a busy machine to be clicked reliably.
    page.evaluate("void window.jupyterapp.commands.execute('notebook:run-all-cells')")
    deadline = time.monotonic() + 240
    cells: list[dict] = []
    while time.monotonic() < deadline:
        # The notebook as Lab holds it: of a long one, only the cells in view are in the page.
        cells = page.evaluate("window.jupyterapp.shell.currentWidget.content.model.toJSON().cells")
        cells = [cell for cell in cells if cell["cell_type"] == "code" and "".join(cell["source"]).strip()]
        outputs = [output for cell in cells for output in cell["outputs"]]
        errors = [output for output in outputs if output["output_type"] == "error"]
        if errors or all(cell["execution_count"] for cell in cells):
            break
        page.wait_for_timeout(500)
    page.close()
    assert not errors, "\n".join(errors[0]["traceback"])
    waiting = [cell["source"] for cell in cells if not cell["execution_count"]]
    assert not waiting, f"{len(waiting)} of {len(cells)} cells did not run; the first: {waiting[0]}"
    outside = [complaint for complaint in complaints if complaint.startswith("request:")]
    assert not outside, "\n".join(outside)
