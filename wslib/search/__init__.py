"""Tree search: settings (:mod:`.settings`), the loop (:mod:`.kernels`), results to look into (:mod:`.result`)."""

from wslib.search.result import SearchResult, search
from wslib.search.settings import SearchSettings

__all__ = ["SearchResult", "SearchSettings", "search"]
