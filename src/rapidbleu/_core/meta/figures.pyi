from typing import final

@final
class Gold:
    def __new__(
        cls,
        human: object,
        offsets: object,
        figure: str,
        least_difference: float = 1.0,
        /,
    ) -> Gold: ...
    def figures(
        self,
        metric: object,
        numerators: object,
        denominators: object,
        epsilon: float = 0.0,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...
    def swapped(
        self,
        one: object,
        other: object,
        units: object,
        n_units: int,
        systems: object | None,
        coins: object,
        left: object,
        right: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> None: ...
    def best_epsilon(
        self,
        metric: object,
        stop: list[BaseException] | None = None,
        /,
    ) -> tuple[float, float, float]: ...
