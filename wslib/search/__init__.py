"""Tree search: the algorithm to be read (:mod:`.plain`), the same compiled (:mod:`.kernels`, :mod:`.guided`,
:mod:`.unguided`), its methods and settings, and what it finds (:mod:`.result`, :mod:`.prompt`)."""

from wslib.search.methods import GUIDED, THESIS, Method
from wslib.search.prompt import Searches, search
from wslib.search.result import SearchResult
from wslib.search.settings import GuidedSettings, SearchSettings

__all__ = ["GUIDED", "THESIS", "GuidedSettings", "Method", "SearchResult", "SearchSettings", "Searches", "search"]
