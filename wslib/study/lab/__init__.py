"""JupyterLab: boards to click on, the opponent's thinking, an inspector of positions, a monitor of runs.

The board is the book's own (``book/_static/play``). Python knows the game and decides; the page draws, and says what
the reader did. All of it works without a page, too, so that tests need no browser.
"""
