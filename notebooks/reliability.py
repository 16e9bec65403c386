# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3 (ipykernel)
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Reliability: what was broken, and what came of it
#
# **The question.** While a study like this one runs, something always goes wrong: processes are killed, disks fill up, files rot,
# machines vanish. Can a result be lost in this way? Or, much worse, can it come out wrong without anybody noticing?
#
# This page tests no claim of the thesis; it tests this project. Commands that come with it break things on purpose, many times, and
# record what happened. The numbers below are computed from that record.

# %% tags=["parameters"]
preset: str = "full"  # full or smoke: nothing is computed here but this page

# %%
import pandas as pd

from wslib.study.engine.notebook import numbers, read_parameters, say, show
from wslib.study.engine.store import published_root
from wslib.study.pages.base import Chapter
from wslib.study.report import reliability as report

asked = read_parameters(Chapter, globals())
record = pd.read_csv(published_root() / "reliability" / "faults.csv", dtype={"code": str})
again = pd.read_csv(published_root() / "reliability" / "again.csv", dtype={"code": str, "unit": str})
bits = pd.read_csv(published_root() / "reliability" / "bits.csv", dtype={"code": str})

# %% [markdown]
# ## In short

# %%
show(say(f"{report.prose(record)} {report.bits_prose(bits)}"), report.promises_table(record))

# %% [markdown]
# Each row is a promise, with how often we tried to break it, and how often it broke. One broken promise would weigh more than all that
# held.
#
# ## The design
#
# **A result is a folder with a manifest.** Files are written under a temporary name, flushed to the disk and renamed; the manifest,
# with the size and `sha256` digest of each, comes last. A result exists exactly when its manifest does. Digests are
# compared whenever something is read; what does not agree is set aside, reported, and computed again.
#
# **The same parameters give the same bytes.** So a unit can be computed twice, by two processes at once, or again after a kill, without
# a lock that a human would have to remove. All randomness comes from streams that are named after what they are for, so a resumed run
# draws what an undisturbed one would have drawn.
#
# **A training run is a chain of states**, one committed per iteration: weights, examples, the state of the switch. A kill costs at most
# the iteration in which it came.
#
# **Nothing that is read is executed.** Networks are safetensors files, tables are CSV, the rest is JSON; nothing is
# unpickled, and what is read has a size that it may not exceed. Compiled code, which numba keeps as pickles on the machine
# that compiled it, is read only from files that are this user's own and whole by their digest.
#
# ## On another machine
#
# Every number that a network computes here is one chain of sums in a fixed order, so a result should come out to the last bit on any
# processor ({doc}`/book/reproducibility` says how). A small study was computed by kernels compiled for several kinds of processor,
# with other sizes of the blocks in which matrices are multiplied, and by two worker processes.

# %%
report.bits_table(bits)

# %% [markdown]
# A row with another digest would be a kind of processor, or a size of a block, that gives other results. The seconds include compiling.
#
# Published results were also computed again on machines with other processors, by `wslib verify`, and compared as text: training runs
# from their first game to their last network, and measurements.

# %%
show(say(report.again_prose(again)), report.again_table(again))

# %% [markdown]
# Where the last two columns of a row differ, a result depends on the processor after all.
#
# ## Found and fixed while building these tests
#
# 1. Papermill writes an executed notebook in place. An execution that is killed while it writes leaves half a file, even where a
#    good notebook was. This project's handler writes a new file and then renames it.
# 2. Publishing replaced files one by one. A kill in the middle left a folder that was refused, rightly, but that could not be published again
#    either. Now all new files lie beside the old ones, complete, before the first is replaced; readers take them from there, and
#    the next publisher clears up.
# 3. A worker process that died took all the others with it. Now its unit is tried again, and the others do not notice.
# 4. One failing unit stopped all others. Now the others are computed, and the failures are listed at the end.
# 5. A table of a few kilobytes could unpack to any size. Now a limit is checked before memory is taken.
# 6. After a power loss most files of compiled code were empty, and every command stopped at the first of them, for ever. Now what is not
#    whole is compiled again. Where the home folder could not be written to, compiled code was read from a folder that
#    anybody could have filled; now it is read from a private one.
# 7. Packing networks wrote over the archive that was there, and a kill destroyed it. Now a new archive takes its place when it is whole.
# 8. The entry of a new folder in its parent folder was never flushed, and a power loss could take whole results. Now it is flushed.
# 9. Temporary files were recognised by their ending alone, so a store in a shared folder removed hidden files of others. Now only its own
#    are removed.
# 10. A run could continue from a state that belonged to another run or iteration, and gave other results. Now a state says whose it is,
#    and what does not fit is set aside.
# 11. A training that diverged, with weights that are not numbers, was stored and published like any other. Now it is refused.
# 12. Two builds in one folder removed each other's work. Now the second waits until the first has ended.
# 13. Dask's dashboards, when started by the lines in this book, listened to everybody. Now these lines name this machine's own address.
#
# ## Limits
#
# - No plug was pulled. To imitate a power loss, a Linux file system in an image was cut off in the middle of writing, lost what it still
#   held in memory, and was mounted again and read. Its help for programs that forget to flush (`fsync`) was switched off. We can do
#   nothing about a disk that claims to have written what it has not.
# - The compiler was told to compile for other kinds of processor. Nothing was tried on processors of other families, such as those of
#   telephones.
# - Digests reveal damage, not malice: whoever can write both a file and its manifest can replace a result. Published results are in git.
# - Network file systems, and the failures of a batch system, could not be tried here.
#
# ## Every run
#
# A broken promise is a defect. The run in which it happened is in this list, with the command that repeats it.

# %% tags=["hide-input"]
report.runs_table(record)

# %% [markdown]
# ## Exercises
#
# 1. Start `wslib run one_run --set preset=smoke --set seed=1`, and stop it with `kill -9` while it runs. What is in the store, and what does the same
#    command do next?
#
# <details><summary>A solution</summary>
#
# Below `.wslib-store/state` there is a folder for every iteration that was finished, each with a `manifest.json`, and at most one without:
# that of the iteration that was killed. The same command reads the last whole state and goes on from it, and removes what is left of the
# unfinished one.
#
# </details>
#
# 2. Change one character of a file below `.wslib-store/match` and ask for its result again. Then change one in `data/`. Why is the second
#    not repaired?
#
# <details><summary>A solution</summary>
#
# Your own results can be computed again. Published ones are what others have seen, and git has them.
#
# </details>
#
# ## Differences from the thesis
#
# 1. The sources do not say what became of interrupted runs, and publish no results whose bytes could be compared.
#
# ## Run it yourself
#
# ```bash
# make faults                                               # everything, an hour or two
# python tests/faults/run.py training_kills --number 100    # one of them
# papermill notebooks/reliability.py out.ipynb              # this page, from what they recorded
# ```
#
# `make test` runs a small sample of each; everything takes an hour or two.

# %% tags=["remove-cell"]
numbers(
    bits_runs=str(bits["runs"].iloc[0]),
    bits_kinds=report.bits_kinds(bits),
    bits_said=report.bits_said(bits),
)
