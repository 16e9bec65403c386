"""Tree search: settings (:mod:`.settings`), the loop (:mod:`.kernels`), results (:mod:`.result`, :mod:`.prompt`)."""

from wslib.search.prompt import Searches, search
from wslib.search.result import SearchResult
from wslib.search.settings import GUIDED, GuidedSettings, SearchSettings

__all__ = ["GUIDED", "GuidedSettings", "SearchResult", "SearchSettings", "Searches", "search"]
