from typing_extensions import disjoint_base

from rapidbleu._core.pairs import Pairs

@disjoint_base
class ChrfPairs(Pairs): ...
