"""Tree search: settings (:mod:`.settings`), the loop (:mod:`.kernels`), results to look into (:mod:`.result`)."""

from wslib.search.result import SearchResult, search
from wslib.search.settings import GUIDED, GuidedSettings, SearchSettings

__all__ = ["GUIDED", "GuidedSettings", "SearchResult", "SearchSettings", "search"]
