"""Languages of METEOR: their modules, parameters, weights and stemmers."""

from rapidbleu._core.alignment.meteor import MODULES
from rapidbleu.metrics.contract.checks import check_choice, check_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Of each language the names of its files and of its stemmer.
LANGUAGES = {
    "en": "english",
    "cs": "czech",
    "da": "danish",
    "de": "german",
    "es": "spanish",
    "fi": "finnish",
    "fr": "french",
    "hu": "hungarian",
    "it": "italian",
    "nl": "dutch",
    "no": "norwegian",
    "pt": "portuguese",
    "ro": "romanian",
    "ru": "russian",
    "sv": "swedish",
    "tr": "turkish",
    "other": "other",
}
NOT_STEMMED = ("cs", "other")
WITH_PARAPHRASES = ("en", "cs", "de", "es", "fr", "ru")

Preset = tuple[tuple[float, ...], tuple[float, ...]]

# Of each variant and language alpha, beta, gamma and delta, and the weights of modules; "": of any
# other language.
PRESETS: dict[str, dict[str, Preset]] = {
    "1.5": {
        "en": ((0.85, 0.20, 0.60, 0.75), (1.0, 0.6, 0.8, 0.6)),
        "cs": ((0.95, 0.20, 0.60, 0.80), (1.0, 0.4)),
        "de": ((0.95, 1.00, 0.55, 0.55), (1.0, 0.8, 0.2)),
        "es": ((0.65, 1.30, 0.50, 0.80), (1.0, 0.8, 0.6)),
        "fr": ((0.90, 1.40, 0.60, 0.65), (1.0, 0.2, 0.4)),
        "": ((0.75, 1.40, 0.70, 0.50), (1.0, 0.5, 0.5, 0.5)),
    },
    "2007": {
        "en": ((0.80, 0.83, 0.28, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "cs": ((0.80, 0.83, 0.28, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "de": ((0.95, 1.00, 0.98, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "es": ((0.95, 0.50, 0.75, 0.50), (1.0, 1.0, 1.0, 1.0)),
        "fr": ((0.76, 0.50, 1.00, 0.50), (1.0, 1.0, 1.0, 1.0)),
    },
    "2005": {"": ((0.90, 3.00, 0.50, 0.50), (1.0, 1.0, 1.0, 1.0))},
}
VARIANTS = tuple(PRESETS)

MOST_OF = {"alpha": 1.0, "beta": 1000.0, "gamma": 1.0, "delta": 1.0}
MOST_WEIGHT = 1000.0


def default_modules(variant: str, language: str, has_data: bool) -> tuple[str, ...]:
    """Return the modules of a language: of release 1.5 all for which there is data.

    Examples
    --------
    >>> default_modules("1.5", "de", has_data=True)
    ('exact', 'stem', 'paraphrase')
    """
    modules = ["exact"]
    if language not in NOT_STEMMED:
        modules.append("stem")
    if variant == "1.5" and has_data:
        if language == "en":
            modules.append("synonym")
        if language in WITH_PARAPHRASES:
            modules.append("paraphrase")
    return tuple(modules)


def default_stemmer(variant: str, language: str) -> str:
    """Return the name of the stemmer of a language: English had Porter's before release 1.0.

    Examples
    --------
    >>> default_stemmer("2005", "en"), default_stemmer("1.5", "nl")
    ('porter', 'dutch_porter')
    """
    if language == "en" and variant != "1.5":
        return "porter"
    return "dutch_porter" if language == "nl" else LANGUAGES[language]


def preset(variant: str, language: str, n_modules: int) -> Preset:
    """Return the parameters, and the weights of the first `n_modules` modules.

    Raises
    ------
    ValueError
        If the variant has none for the language.
    """
    presets = PRESETS[variant]
    if language not in presets and "" not in presets:
        raise ValueError(
            f"language: expected one of {', '.join(presets)} for variant {variant}, or "
            f"parameters; got {language!r}"
        )
    parameters, weights = presets.get(language) or presets[""]
    return parameters, (*weights, *[0.0] * n_modules)[:n_modules]


def check_parameters(
    parameters: "Sequence[float] | None",
    weights: "Sequence[float] | None",
    variant: str,
    language: str,
    modules: tuple[str, ...],
) -> Preset:
    """Return the parameters and the weights of modules, which are those of the preset if not given.

    Examples
    --------
    >>> check_parameters(None, [1], "1.5", "de", ("exact",))
    ((0.95, 1.0, 0.55, 0.55), (1.0,))
    """
    if parameters is None or weights is None:
        own = preset(variant, language, len(modules))
        parameters = own[0] if parameters is None else parameters
        weights = own[1] if weights is None else weights
    if len(parameters) != len(MOST_OF):
        raise ValueError(f"parameters: expected {', '.join(MOST_OF)}; got {parameters!r}")
    if len(weights) != len(modules):
        raise ValueError(
            f"weights: expected {len(modules)}, one for each module, got {len(weights)}"
        )
    return (
        tuple(
            check_number(name, value, 0, most)
            for (name, most), value in zip(MOST_OF.items(), parameters, strict=True)
        ),
        tuple(check_number(f"weights[{i}]", w, 0, MOST_WEIGHT) for i, w in enumerate(weights)),
    )


def check_modules(modules: "Sequence[str]") -> tuple[str, ...]:
    """Return modules in their order.

    Examples
    --------
    >>> check_modules(["exact", "stem"])
    ('exact', 'stem')
    """
    found = (modules,) if isinstance(modules, str) else tuple(modules)
    for module in found:
        check_choice("modules", module, tuple(MODULES))
    if not found or len(set(found)) != len(found):
        raise ValueError(f"modules: expected different ones, at least one, got {modules!r}")
    return found
