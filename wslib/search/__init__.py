"""Tree search: the algorithm to be read (:mod:`.plain`), the same compiled (:mod:`.kernels`, :mod:`.guided`,
:mod:`.unguided`), its methods and settings."""

from wslib.search.methods import GUIDED, THESIS, Method
from wslib.search.settings import GuidedSettings, SearchSettings

__all__ = ["GUIDED", "THESIS", "GuidedSettings", "Method", "SearchSettings"]
