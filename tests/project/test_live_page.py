"""The live page of the site: in a browser, its counts and scores equal the library's."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from rapidbleu import BLEU
from rapidbleu.tokenizers import get_tokenizer
from support.corpora import random_corpus
from support.places import REPO

SCRIPT = REPO / "docs" / "site" / "static" / "live.js"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not SCRIPT.exists(), reason="the site is not here"),
]
PIECES = [
    "a",
    "b",
    "the",
    "The",
    "ÄÖ",
    "3",
    "3.5",
    "1,000",
    "2-3",
    "-",
    "--",
    ".",
    "...",
    ",",
    "?!",
    "$5",
    "&amp;",
    "&quot;",
    "&lt;b&gt;",
    "&amp;lt;",
    "&AMP;",
    "<skipped>",
    "-\n",
    "\n",
    "\t",
    "\x1c",
    "\x85",
    "\xa0",
    "\u2003",
    "\u3000",
    "\ufeff",
    "\U0001d518",
    "日本",
    "ΣΑΣ",
    "İ",
    "x_y",
    "it's",
    "[a]",
    "a.b",
    "5.a",
]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    webdriver = pytest.importorskip("selenium.webdriver")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed")
    path: Path = tmp_path_factory.mktemp("live") / "page.html"
    script = SCRIPT.read_text(encoding="utf-8")
    path.write_text(
        f'<meta charset="utf-8"><div class="live"></div><script>{script}</script>',
        encoding="utf-8",
    )
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage"):
        options.add_argument(f"--{argument}")
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        window.get(path.as_uri())
        yield window
    finally:
        window.quit()


def vectors() -> list[tuple[str, list[str], bool, bool]]:
    rng = Random("live")

    def text() -> str:
        joint = rng.choice(["", " ", "  "])
        return joint.join(rng.choices(PIECES, k=rng.randint(0, 12)))

    found = []
    for kind in ("ascii", "german", "mixed"):
        hyps, streams = random_corpus(rng, 100, kind=kind, n_refs=2)
        found += [(hyp, list(refs)) for hyp, *refs in zip(hyps, *streams, strict=True)]
    for _ in range(300):
        found.append((text(), [text() for _ in range(rng.randint(1, 3))]))
    return [(hyp, refs, rng.random() < 0.5, rng.random() < 0.5) for hyp, refs in found]


def test_counts_and_scores(page: Any) -> None:
    cases = vectors()
    assert len(cases) >= 500
    found = page.execute_script(
        "return arguments[0].map(([hyp, refs, lowercase, effectiveOrder]) => {"
        " const found = rapidbleuLive.bleu(hyp, refs, { lowercase, effectiveOrder });"
        " return [[found.tokens.length, found.closest, ...found.orders.map((own) => own.matches),"
        " ...found.orders.map((own) => own.total)], found.score]; })",
        cases,
    )
    scores = set()
    for (hyp, refs, lowercase, effective), (counts, score) in zip(cases, found, strict=True):
        bleu = BLEU(lowercase=lowercase, effective_order=effective)
        [row] = bleu.segment_stats([hyp], [[ref] for ref in refs]).tolist()
        assert counts == row, (hyp, refs)
        expected = bleu.sentence_score(hyp, refs).score
        assert score == pytest.approx(expected, abs=5e-5), (hyp, refs)
        scores.add(round(expected, 4))
    assert len(scores) > 250


def test_tokens(page: Any) -> None:
    texts = [hyp for hyp, *_ in vectors()]
    texts += [f"a{c}b 1{c}2 a{c}1 1{c}a {c}" for c in map(chr, range(128))]
    found = page.execute_script(
        "return arguments[0].map((text) => rapidbleuLive.tokenize(text, false))", texts
    )
    tokenizer = get_tokenizer("13a")
    assert found == [tokenizer(text.rstrip()) for text in texts]


def test_white_space_is_that_of_python(page: Any) -> None:
    code = "return Array.from({length: 65536}, (_, i) => i).filter((i) =>"
    code += " rapidbleuLive.tokenize(`a${String.fromCharCode(i)}b`, false).join() === 'a,b')"
    found = set(page.execute_script(code))
    assert found == {i for i in range(65536) if chr(i).isspace()}


def test_what_a_reader_sees(page: Any) -> None:
    """The example of clipping; then a text typed, and shown as text."""
    body = page.find_element("class name", "live-output").text
    assert "BLEU = 7.81" in body and "2 of 7 match: 28.57 %" in body
    assert len(page.find_elements("class name", "live-clipped")) == 5
    page.execute_script(
        "const fields = document.querySelectorAll('textarea');"
        "fields[0].value = '<img src=x onerror=document.title=1> a';"
        "fields[1].value = 'a';"
        "fields[0].dispatchEvent(new Event('input', {bubbles: true}));"
    )
    output = page.find_element("class name", "live-output")
    assert "img" in output.text and not output.find_elements("tag name", "img")
    assert page.title != "1"
