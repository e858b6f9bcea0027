from typing import Any

from typing_extensions import disjoint_base

@disjoint_base
class LateAttributes: ...

def __getattr__(name: str) -> Any: ...
