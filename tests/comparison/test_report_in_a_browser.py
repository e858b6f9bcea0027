"""The report in a browser: choosing systems; sorting, filtering, paging and saving segments."""

import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

pytest.importorskip("jinja2")

from rapidbleu import BLEU, CHRF, TER, compare
from rapidbleu.comparison.report import write_report
from support.corpora import random_corpus

pytestmark = pytest.mark.slow
By = pytest.importorskip("selenium.webdriver.common.by").By
N = 2345
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
SECONDS = 30  # to wait for a page, on a busy machine
SCREENSHOTS = os.environ.get("RAPIDBLEU_SCREENSHOTS")  # a folder to keep pictures in


@pytest.fixture(scope="module")
def found() -> Any:
    rng = Random("browser")
    systems = {}
    for name in ("one", "two", "three"):
        systems[name], references = random_corpus(rng, N, kind="mixed", n_refs=1)
    systems["one"][7] = "<script>document.title = 'hacked'</script> <b>bold</b> Needle"
    labels = ["news" if i % 3 else "<i>talks</i>" for i in range(N)]
    return compare(
        systems, references, [BLEU(), CHRF()], labels=labels, n_resamples=100, baseline="one"
    )


@pytest.fixture(scope="module")
def report(found: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(found, path, "Three systems")
    return path


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """Return the system's Chromium, headless, driven by Selenium."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{argument}")
    options.add_argument("--window-size=1280,1200")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    window = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        window.set_script_timeout(SECONDS)
        yield window
    finally:
        window.quit()


@pytest.fixture
def page(driver: Any, report: Path) -> Any:
    opened(driver, report)
    return driver


def complaints(driver: Any) -> list[str]:
    """Return messages in the page's console."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: Any) -> list[str]:
    """Return addresses requested by the page."""
    entries = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        entry["params"]["request"]["url"]
        for entry in entries
        if entry["method"] == "Network.requestWillBeSent"
    ]


def opened(driver: Any, path: Path, view: str = "") -> None:
    driver.get("about:blank")  # or only the hash would change
    driver.get(path.as_uri() + view)
    wait(driver, lambda: is_ready(driver))


def is_ready(driver: Any) -> Any:
    return driver.execute_script("return document.getElementById('list')?.dataset.ready")


def wait(driver: Any, condition: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, complaints(driver)
        time.sleep(0.02)


def after(driver: Any, script: str, *arguments: Any) -> None:
    """Run a script, and wait for a new list."""
    before = is_ready(driver)
    driver.execute_script(script, *arguments)
    wait(driver, lambda: is_ready(driver) != before)


def change(driver: Any, **values: Any) -> None:
    """Set values of form elements, and wait for the list."""
    for name, value in values.items():
        after(
            driver,
            "const element = document.getElementById('view').elements[arguments[0]];"
            "if (element.type === 'checkbox') element.checked = arguments[1];"
            "else element.value = arguments[1];"
            "element.dispatchEvent(new Event('change', {bubbles: true}));",
            name,
            value,
        )


def click(driver: Any, selector: str, place: int = 0) -> None:
    """Click an element, and wait for the list."""
    script = (
        "document.querySelectorAll(arguments[0])[arguments[1]]"
        ".dispatchEvent(new MouseEvent('click', {bubbles: true}))"
    )
    after(driver, script, selector, place)


def sort(driver: Any, name: str) -> None:
    click(driver, f"#sorts [data-by='{name}']")


def texts(driver: Any, selector: str) -> list[str]:
    script = "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)"
    found: list[str] = driver.execute_script(script, selector)
    return found


def segments(driver: Any) -> list[int]:
    """Return the numbers of the segments on the page, from 1."""
    heads = texts(driver, "#list .numbers b")
    return [int(head.removeprefix("Segment ").replace(",", "")) for head in heads]


def status(driver: Any) -> str:
    text: str = driver.find_element(By.ID, "status").text
    return text


def value(driver: Any, name: str) -> str:
    script = "return document.getElementById('view').elements[arguments[0]].value"
    text: str = driver.execute_script(script, name)
    return text


def expected_status(n: int) -> str:
    return f"{N:,} segments" if n == N else f"{n:,} of {N:,} segments"


def gaps_of(found: Any, a: str, b: str, metric: str = "BLEU") -> Any:
    """Return the segments' differences as computed by the page."""
    one, other = (found.segment_scores[metric][name].astype(np.float32) for name in (a, b))
    return other.astype(float) - one.astype(float)


def test_it_opens_from_the_disk_and_loads_nothing(page: Any, report: Path) -> None:
    assert complaints(page) == []
    assert [url for url in requests(page) if not url.startswith("data:")] == [report.as_uri()]
    assert page.title == "Three systems"
    assert status(page) == f"{N:,} segments"


def test_biggest_differences_come_first(page: Any, found: Any) -> None:
    a, b = value(page, "a"), value(page, "b")
    assert a == "one"  # the baseline
    gains = gaps_of(found, a, b)
    order = sorted(range(N), key=lambda i: (-gains[i], i))
    assert segments(page) == [i + 1 for i in order[:20]]
    sort(page, "d")
    order = sorted(range(N), key=lambda i: (gains[i], i))
    assert segments(page) == [i + 1 for i in order[:20]]
    shown = [float(text.split()[-1]) for text in texts(page, "#list .gap")]
    assert shown == pytest.approx([gains[i] for i in order[:20]], abs=0.006)


def test_sorting_by_segment_and_score(page: Any, found: Any) -> None:
    sort(page, "n")
    assert segments(page) == list(range(1, 21))
    sort(page, "n")
    assert segments(page) == list(range(N, N - 20, -1))
    change(page, metric="chrF2", b="two")
    sort(page, "b")
    scores = sorted(found.segment_scores["chrF2"]["two"], reverse=True)
    cells = texts(page, "#list tr:last-child .number")  # beside the text of B
    assert [float(cell) for cell in cells] == pytest.approx(scores[:20], abs=0.006)
    [pressed] = page.find_elements(By.CSS_SELECTOR, "#sorts [aria-pressed=true]")
    assert pressed.get_attribute("textContent") == "two ↓"


def test_each_score_is_beside_its_text(page: Any, found: Any) -> None:
    sort(page, "n")
    change(page, all=True)
    script = "return [...document.querySelectorAll('#list tbody')[4].rows].map(r => r.innerText)"
    _, reference, *rows = page.execute_script(script)
    assert reference.split()[0] == "reference"
    for row, (name, own) in zip(rows, by_rank(found), strict=True):
        score = found.segment_scores["BLEU"][name][4]
        assert " ".join(row.split()) == " ".join(f"{name} {score:.2f} {own[4]}".split())


def by_rank(found: Any) -> list[tuple[str, Any]]:
    scores = dict(zip(found.systems, found.scores["bleu"].tolist(), strict=True))
    return sorted(found.outputs.items(), key=lambda item: -scores[item[0]])


def test_filters(page: Any, found: Any) -> None:
    lengths = found.segments["length"].tolist()
    change(page, label="0")
    n = found.labels.count("<i>talks</i>")
    assert status(page) == expected_status(n)
    change(page, w0="5", w1="6")
    n = sum(i % 3 == 0 and 5 <= lengths[i] <= 6 for i in range(N))
    assert status(page) == expected_status(n)
    click(page, "#clear")
    assert status(page) == f"{N:,} segments"
    change(page, n0="11", n1="12")
    assert sorted(segments(page)) == [11, 12] and status(page) == expected_status(2)
    click(page, "#clear")
    change(page, b="two", metric="chrF2", d0="10", a1="40", b0="30", b1="60")
    gains = gaps_of(found, "one", "two", "chrF2")
    one, two = (found.segment_scores["chrF2"][name].astype(np.float32) for name in ("one", "two"))
    n = int(np.sum((gains >= 10) & (one < 40) & (two >= 30) & (two < 60)))
    assert n and status(page) == expected_status(n)
    change(page, text="nEEDLE")
    assert status(page) == expected_status(0) and segments(page) == []
    click(page, "#clear")
    change(page, text="nEEDLE")
    assert status(page) == expected_status(1) and segments(page) == [8]


def test_regular_expressions(page: Any, found: Any) -> None:
    columns = [[refs[0] for refs in found.references], *found.outputs.values()]
    change(page, regex=True, text=r"([a-z])\1", **{"in": "a"})
    n = sum(bool(re.search(r"([a-z])\1", text, re.I)) for text in found.outputs["one"])
    assert status(page) == expected_status(n)
    change(page, text="[a-f]{7}$", **{"in": ""})
    assert status(page) == expected_status(
        sum(any(re.search("[a-f]{7}$", column[i], re.I) for column in columns) for i in range(N))
    )
    page.execute_script(
        "const e = document.getElementById('view').elements.text; e.value = '(';"
        "e.dispatchEvent(new Event('change', {bubbles: true}));"
    )
    wait(page, lambda: status(page).startswith("Invalid regular expression"))
    change(page, regex=False)
    assert "segment" in status(page)


def test_the_view_is_in_the_address(page: Any, report: Path, driver: Any) -> None:
    assert page.current_url == report.as_uri()
    change(page, a="three", b="one", metric="chrF2", w1="9", rows="10", all=True)
    sort(page, "w")
    click(page, "[data-go=next]")
    address, shown = page.current_url, segments(page)
    fields = "a=three&b=one&metric=chrF2&w1=9&rows=10&all=on&sort=w&page=2"
    assert sorted(address.split("#")[1].split("&")) == sorted(fields.split("&"))
    opened(driver, report, "#" + address.split("#")[1])
    assert segments(page) == shown and value(page, "w1") == "9"
    after(page, "location.hash = 'a=nobody&b=two&n1=3&sort=nothing'")
    assert value(page, "a") == "one" and segments(page) == [1, 2, 3]
    click(page, "#swap")
    assert (value(page, "a"), value(page, "b")) == ("two", "one")
    opened(driver, report, "#words")
    assert status(page) == f"{N:,} segments"
    assert page.execute_script("return scrollY") > 500


def test_pages(page: Any) -> None:
    sort(page, "n")
    last = -(-N // 20)
    assert page.find_element(By.ID, "n-pages").text == str(last)
    go = {b.get_attribute("data-go"): b for b in page.find_elements(By.CSS_SELECTOR, "[data-go]")}
    assert not go["back"].is_enabled()
    for where, first in (("next", 21), ("last", 20 * last - 19), ("back", 20 * last - 39)):
        click(page, f"[data-go={where}]")
        assert segments(page)[0] == first
        top = "return document.querySelector('#list .numbers').getBoundingClientRect().top"
        wait(page, lambda top=top: 0 <= page.execute_script(top) < 400)  # the first one is seen
        bars = "return ['bar', 'sorts'].map(i => document.getElementById(i)"
        (_, end), (begin, _) = page.execute_script(
            bars + ".getBoundingClientRect()).map(r => [r.top, r.bottom])"
        )
        assert begin >= end - 1
    change(page, page="3")
    assert segments(page)[0] == 41
    click(page, "[data-go='first']")
    assert segments(page)[0] == 1
    page.execute_script("scrollTo(0, document.body.scrollHeight)")
    for name in ("bar", "sorts"):  # stay at the top
        rectangle = f"return document.getElementById('{name}').getBoundingClientRect().top"
        wait(page, lambda rectangle=rectangle: 0 <= page.execute_script(rectangle) < 150)


def test_a_bar_shows_its_segments(page: Any, found: Any) -> None:
    change(page, b="two", text="nothing like this")
    n_figures = len(texts(page, "#buckets figure"))
    for k in range(n_figures):
        figure = f"#buckets figure:nth-child({k + 1})"
        kind = page.find_element(By.CSS_SELECTOR, figure).get_attribute("data-kind")
        hidden = page.execute_script(f"return document.querySelector('{figure}').hidden")
        n_bars = len(page.find_elements(By.CSS_SELECTOR, f"{figure} .bars button"))
        assert hidden == (kind == "chrf2_score") or kind in ("label", "length", "length_difference")
        for bar in range(0, 0 if hidden else n_bars, 4):
            hint = page.execute_script(
                f"return document.querySelectorAll('{figure} .bars button')[{bar}].title"
            )
            system, bucket = hint.rsplit(":", 1)[0].split(", ", 1)
            click(page, f"{figure} .bars button", bar)
            table = found.buckets[kind]
            places = [
                i
                for i in range(len(table))
                if (table["bucket"][i], table["system"][i]) == (bucket, system)
            ]
            assert status(page) == expected_status(int(table["segments"][places[0]])), hint
            if kind == "length_difference":
                assert system in (value(page, "a"), value(page, "b"))


def test_bars_of_words_show_segments_with_such_words(page: Any, found: Any) -> None:
    figure = "#words figure:first-child"
    hints = page.execute_script(
        f"return [...document.querySelectorAll('{figure} .bars button')].map(b => b.title)"
    )
    assert not any(", <1:" in hint for hint in hints)
    bits = found._words.frequency_bits()
    click(page, f"{figure} .bars button")
    assert value(page, "word") == hints[0].split(", ", 1)[1].split(":")[0]
    place = found.words["bucket"][3::3].index(value(page, "word"))
    assert status(page) == expected_status(int(np.sum(bits >> place & 1)))


def test_dots_and_differences_show_segments(page: Any, found: Any) -> None:
    change(page, b="three")
    hints = texts(page, "#scatter circle title")
    counts = [int(re.match(r"([\d,]+) segment", hint)[1].replace(",", "")) for hint in hints]  # type: ignore[index]
    assert sum(counts) == N
    for k in range(0, len(hints), len(hints) // 5):
        click(page, "#scatter circle", k)
        assert status(page) == expected_status(counts[k])
    gains = gaps_of(found, "one", "three")
    wins = f"A is better in {sum(gains < 0)}, B in {sum(gains > 0)}, and both are equal in"
    assert texts(page, "#wins")[0].replace(",", "").startswith(wins.replace(",", ""))
    bars = "return [...document.querySelectorAll('#histogram button')].map(b => b.title)"
    numbers = [hint.split(": ")[1].split()[0] for hint in page.execute_script(bars)]
    assert sum(int(number.replace(",", "")) for number in numbers) == N
    for k in range(len(numbers)):
        if numbers[k] != "0":
            click(page, "#histogram button", k)
            assert status(page) == expected_status(int(numbers[k].replace(",", "")))


def test_the_better_system_of_an_error_rate(driver: Any, tmp_path: Path) -> None:
    references = ["a b c d", "e f g h", "i j k l"]
    outputs = {"A": ["a b c d", "e f", "i j k l"], "B": ["a b", "e f", "i j k"]}
    write_report(compare(outputs, [references], TER(), n_resamples=2), tmp_path / "ter.html")
    opened(driver, tmp_path / "ter.html")
    assert texts(driver, "#wins") == [
        "A is better in 2, B in 0, and both are equal in 1 of 3 segments."
    ]
    dots = driver.find_elements(By.CSS_SELECTOR, "#scatter circle")
    assert sorted(dot.get_attribute("class") for dot in dots) == ["even", "for-a", "for-a"]
    script = "return [...document.querySelectorAll('#histogram button')].map(e => e.style.cssText)"
    styles = driver.execute_script(script)
    assert sum("--a" in style for style in styles) == 2 and not any("--b" in s for s in styles)
    bests = driver.find_elements(By.CSS_SELECTOR, "#list tbody tr:nth-child(3) .best")
    assert len(bests) == 2  # of A, whose errors are fewer


@pytest.mark.parametrize("scale", [1, 20, 100])
def test_scores_at_the_ends_of_bars(driver: Any, tmp_path: Path, scale: int) -> None:
    rng = Random("ends")
    own = {name: [rng.randrange(0, 101, 5) / scale for _ in range(90)] for name in "AB"}
    texts_of = {name: [f"word {i}" for i in range(90)] for name in "AB"}
    labels = [rng.choice(["", " a", "a  b"]) for _ in range(90)]
    found = compare(texts_of, [texts_of["A"]], {}, scores={"X": own}, labels=labels, n_resamples=2)
    write_report(found, tmp_path / "ends.html")
    opened(driver, tmp_path / "ends.html")
    bars = ("figure[data-kind=x_score] .bars button", "figure[data-kind=label] .bars button")
    # At a scale of 100 the scores themselves are rounded, as sums of statistics are.
    for selector in (*bars[scale == 100 :], "#scatter circle", "#histogram button"):
        hints = driver.execute_script(
            "return [...document.querySelectorAll(arguments[0])]"
            ".map(e => e.title || e.textContent)",
            selector,
        )
        assert len(hints) > 5
        for k, hint in enumerate(hints):
            n = int(
                (hint if "circle" in selector else hint.split(": ")[-1]).split()[0].split(".")[0]
            )
            if "label" in selector:  # whose bars are mean scores
                n = labels.count(hint.split(", ", 1)[1].rsplit(":", 1)[0])
            click(driver, selector, k)
            assert status(driver) == f"{n} of 90 segments", hint
    click(driver, "#clear")
    for end in (0.35, 0.7, 0.9):  # 32 bits of which are not 64 bits of them
        change(driver, a0=str(end * 100 / scale))
        assert status(driver).startswith(f"{sum(x * scale > 100 * end - 1 for x in own['A'])} of")


def test_a_dot_just_below_the_end_of_its_cell(driver: Any, tmp_path: Path) -> None:
    """0.12 in 32 bits is below the third of 60 cells, where its place seems to be."""
    own = {name: [0.1, 0.12, 0.7] for name in "AB"}
    texts_of = {name: ["a", "b", "c"] for name in "AB"}
    found = compare(texts_of, [texts_of["A"]], [], scores={"X": own}, n_resamples=2)
    write_report(found, tmp_path / "below.html")
    opened(driver, tmp_path / "below.html")
    for k in range(3):
        click(driver, "#scatter circle", k)
        assert segments(driver) == [k + 1]


def test_an_ngram_shows_its_segments(driver: Any, tmp_path: Path) -> None:
    references = ["a red rose, so red", "the rose (red)", "arose", "red", "一只 猫"]
    outputs = {
        "A": ["a red rose, so", "a rose (red)", "a rose", "", "一只猫"],
        "B": ["one flower", "the flower", "arose", "red", "一只 狗"],
    }
    write_report(compare(outputs, [references], n_resamples=10), tmp_path / "ngrams.html")
    opened(driver, tmp_path / "ngrams.html")
    names = texts(driver, "#ngrams button")
    for ngram, within, numbers in [("rose", "ab", [1, 2]), ("red rose ,", "ab", [1])]:
        click(driver, "#ngrams button", names.index(ngram))
        assert value(driver, "in") == within
        assert sorted(segments(driver)) == numbers
    for text, within, numbers in [
        ("a rose", "", [2, 3]),
        ("rose ( red )", "a", [2]),
        ("RED", "r", [1, 2, 4]),
        ("red", "ba", [4]),
        ("猫", "ab", [5]),
        ("一只 猫", "a", [5]),
        (".", "", []),
    ]:
        change(driver, **{"in": within, "text": text})
        assert sorted(segments(driver)) == numbers, text


def test_saved_segments(driver: Any, page: Any, found: Any, tmp_path: Path) -> None:
    params = {"behavior": "allow", "downloadPath": str(tmp_path)}
    driver.execute_cdp_cmd("Page.setDownloadBehavior", params)
    change(page, b="two", w0="3", w1="4")
    sort(page, "n")
    page.execute_script("document.getElementById('export').click()")
    path = tmp_path / "segments.tsv"
    wait(page, path.exists)
    wait(page, lambda: path.read_text("utf-8").endswith("\n"))
    heads, *lines = [line.split("\t") for line in path.read_text("utf-8").splitlines()]
    assert heads == [
        "segment",
        "label",
        "words",
        "BLEU one",
        "BLEU two",
        "references",
        "one",
        "two",
    ]
    lengths = found.segments["length"].tolist()
    places = [i for i in range(N) if 3 <= lengths[i] <= 4]
    assert [int(line[0]) - 1 for line in lines] == places
    for line, i in zip(lines, places, strict=True):
        assert line[1:3] == [found.labels[i], str(lengths[i])]
        assert float(line[4]) == pytest.approx(found.segment_scores["BLEU"]["two"][i], abs=0.006)
        assert line[7].split() == found.outputs["two"][i].split()


def test_text_of_users_is_shown_and_not_run(page: Any, found: Any) -> None:
    change(page, text="needle", all=True)
    assert page.title == "Three systems"
    shown = [text.text for text in page.find_elements(By.CSS_SELECTOR, "#list .text")]
    own = [found.references[7][0], *(outputs[7] for _, outputs in by_rank(found))]
    assert shown == [" ".join(text.split()) for text in own]
    assert page.find_elements(By.CSS_SELECTOR, "#list .text b, #list script, #list .text i") == []


def test_marks(driver: Any, tmp_path: Path) -> None:
    systems = {"A": ["the the the cat sat on"], "B": ["a mouse on the rug"]}
    found = compare(systems, [["the cat sat on the mat"]], n_resamples=10)
    write_report(found, tmp_path / "marks.html")
    opened(driver, tmp_path / "marks.html")
    marked = driver.execute_script(
        "return [...document.querySelectorAll('#list .text')].map(d => "
        "[...d.childNodes].map(n => [n.className || n.nodeName, n.textContent]))"
    )
    reference, one, other = marked
    assert one == [
        ["m1", "the"],
        ["#text", " "],
        ["S", "the"],
        ["#text", " "],
        ["m4", "the cat sat on"],
    ]
    assert other == [["#text", "a mouse "], ["m2", "on the"], ["#text", " rug"]]
    assert [text for name, text in reference if name == "U"] == ["mat"]


def test_tables_are_sorted(page: Any, found: Any) -> None:
    [table] = page.find_elements(By.CSS_SELECTOR, "#scores table")
    names = [row.text for row in table.find_elements(By.CSS_SELECTOR, "tbody .name")]
    assert names == [name for name, _ in by_rank(found)]
    for button in table.find_elements(By.CSS_SELECTOR, "thead button"):
        if button.text.startswith("BLEU"):
            button.click()
            button.click()
    names = [row.text for row in table.find_elements(By.CSS_SELECTOR, "tbody .name")]
    assert names == [name for name, _ in by_rank(found)][::-1]


def test_the_triangle_and_the_table_choose_a_pair(
    driver: Any, forty: Any, forty_page: Path
) -> None:
    opened(driver, forty_page)
    order = texts(driver, "#scores tbody .name")
    assert (value(driver, "a"), value(driver, "b")) == tuple(order[:2])
    cells = driver.find_elements(By.CSS_SELECTOR, "#triangle tbody td")
    assert len(cells) == 40 * 39 // 2
    assert texts(driver, "#triangle .legend") == ["above 0.05"], "780 / 51 is above 1"
    tests = {(row[0], frozenset(row[1:3])): row for row in forty.tests.rows()}
    script = "return [...document.querySelectorAll('#triangle td[title]')].map(c => c.title)"
    pairs = ((order[r], order[c]) for r in range(1, 40) for c in range(r))
    for hint, (b, a) in zip(driver.execute_script(script), pairs, strict=True):
        row = tests["BLEU", frozenset((a, b))]
        gap, low, high = row[3:6] if row[1] == a else (-row[3], -row[5], -row[4])
        interval = f"interval {low:.2f} to {high:.2f}"
        assert hint.startswith(f"{b} − {a}: {gap:+.2f} BLEU, {interval}, p ")
    row = driver.find_elements(By.CSS_SELECTOR, "#triangle tbody tr")[20]
    pointed = row.find_elements(By.CSS_SELECTOR, "td")[5]
    driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", pointed)
    webdriver = pytest.importorskip("selenium.webdriver")
    webdriver.ActionChains(driver).move_to_element(pointed).perform()
    assert texts(driver, "#triangle output") == [pointed.get_attribute("title")]
    click(driver, "#triangle tbody tr:nth-child(21) td:nth-child(7)")
    assert (value(driver, "a"), value(driver, "b")) == (order[5], order[21])
    assert len(driver.find_elements(By.CSS_SELECTOR, "#triangle .chosen")) == 1
    click(driver, ".pick[name=b]", 30)
    assert value(driver, "b") == order[30]
    assert len(driver.find_elements(By.CSS_SELECTOR, ".pick[aria-pressed=true]")) == 2
    bars = driver.find_elements(
        By.CSS_SELECTOR, "#words figure:first-child .group:nth-child(3) button"
    )
    assert [bar.get_attribute("title").split(",")[0] for bar in bars] == [order[5], order[30]]


def test_chosen_pairs(driver: Any, found: Any, tmp_path: Path) -> None:
    outputs = {name: found.outputs[name][:50] for name in found.systems}
    chosen = compare(
        outputs, found.references[:50], CHRF(), layout="segment", pairs=[("one", "three")]
    )
    write_report(chosen, tmp_path / "pairs.html")
    opened(driver, tmp_path / "pairs.html")
    assert complaints(driver) == [] and (value(driver, "a"), value(driver, "b")) == ("one", "three")


def test_a_system_has_its_color_everywhere(driver: Any, forty: Any, forty_page: Path) -> None:
    name = forty.systems[17]
    for other in (forty.systems[3], forty.systems[30]):
        opened(driver, forty_page, f"#a={other}&b={name}")
        marks = driver.execute_script(
            "return [...document.querySelectorAll('.dot, .bars button')].map(e => ["
            "(e.title || e.nextElementSibling?.textContent || e.parentElement.textContent)"
            ".split(',')[0], getComputedStyle(e).borderColor])"
        )
        own = {color for text, color in marks if text == name}
        assert own == {"rgb(181, 97, 209)"}  # --c17


@pytest.fixture(scope="module")
def forty() -> Any:
    rng = Random("forty")
    systems = {}
    hyps, references = random_corpus(rng, 120, kind="german", n_refs=1)
    for i in range(40):
        own = [text if rng.random() < i / 40 else references[0][k] for k, text in enumerate(hyps)]
        systems[f"a-system-with-a-rather-long-name-{i:02}"] = own
    return compare(systems, references, [BLEU(), CHRF()], n_resamples=50)


@pytest.fixture(scope="module")
def forty_page(forty: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("report") / "forty.html"
    write_report(forty, path, "Forty systems")
    return path


# Text whose contrast with the color behind it is below 4.5.
FAINT = """
const number = (color) => color.match(/[\\d.]+/g).map(Number);
const light = (color) => number(color).slice(0, 3).map((value) => value / 255)
  .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
  .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
const found = [];
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
while (walker.nextNode()) {
  let box = walker.currentNode.parentElement;
  const own = box;
  if (!walker.currentNode.data.trim() || !own.checkVisibility()) continue;
  if (own.disabled || own.closest("script, option, title, text")) continue;
  const back = (e) => getComputedStyle(e).backgroundColor;
  while (box.parentElement && (number(back(box))[3] ?? 1) === 0) box = box.parentElement;
  const [low, high] = [light(getComputedStyle(own).color), light(back(box))].sort((a, b) => a - b);
  if ((high + 0.05) / (low + 0.05) < 4.5) found.push(own.outerHTML);
}
return found;
"""
# Elements that end outside of the page, or whose text is cut without a title to read it in.
CUT = """
return [...document.querySelectorAll("main *, header *, #bar *")].filter((e) => {
  if (!e.checkVisibility() || e.closest("nav, .by, option, svg")) return false;
  const { right } = e.getBoundingClientRect();
  if (e.closest(".scroll") === null && right > innerWidth + 1) return true;
  const style = getComputedStyle(e);
  return e.scrollWidth > e.clientWidth + 1 && style.overflowX === "hidden"
    && !(style.textOverflow === "ellipsis" && e.title) && e.tagName !== "CAPTION";
}).map((e) => e.outerHTML.slice(0, 200));
"""
SMALLEST = """
return Math.min(...[...document.querySelectorAll("#scatter text, .axis b, .group > span")]
  .filter((e) => e.checkVisibility()).map((e) => {
    const scale = e.ownerSVGElement ? e.ownerSVGElement.clientWidth / 360 : 1;
    return parseFloat(getComputedStyle(e).fontSize) * scale;
  }));
"""


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("width", [1440, 390])
def test_it_fits(
    driver: Any, report: Path, forty_page: Path, many: bool, dark: bool, width: int
) -> None:
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": width < 500}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(driver, forty_page if many else report, "#rows=50")
        assert driver.execute_script("return window.innerWidth") == width
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        assert driver.execute_script(FAINT) == []
        assert driver.execute_script(CUT) == []
        assert driver.execute_script(SMALLEST) >= 11
        if SCREENSHOTS:
            name = f"report-{40 if many else 3}-{'dark' if dark else 'light'}-{width}.png"
            driver.save_screenshot(str(Path(SCREENSHOTS, name)))
        assert complaints(driver) == []
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_one_segment_and_one_system(driver: Any, tmp_path: Path) -> None:
    for systems in ({"A": ["a b c"]}, {"A": ["a b c"], "B": ["a b d"]}):
        found = compare(systems, [["a b c"]], n_resamples=10)
        write_report(found, tmp_path / "one.html")
        opened(driver, tmp_path / "one.html")
        assert status(driver) == "1 segment" and segments(driver) == [1]
        assert "1 segment," in driver.find_element(By.CSS_SELECTOR, "header p").text
        click(driver, "#buckets .bars button")
        assert status(driver) == "1 segment"
        change(driver, n0="2")
        assert status(driver) == "0 of 1 segment"
        assert complaints(driver) == []


def test_fifty_thousand_segments_of_five_systems(
    driver: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The page stays small, opens and responds; times are recorded, not judged."""
    rng, times = Random("large"), 25
    systems = {}
    for name in "ABCDE":
        hyps, references = random_corpus(rng, 2000, kind="german", n_refs=1)
        systems[name] = [f"{text} {i}" for i in range(times) for text in hyps]
    stream = [f"{text} {i}" for i in range(times) for text in references[0]]
    found = compare(systems, [stream], [BLEU(), CHRF()], n_resamples=2)
    path = tmp_path / "large.html"
    write_report(found, path)
    assert path.stat().st_size < 40_000_000
    begun = time.monotonic()
    opened(driver, path)
    record_property("seconds until the page can be used", time.monotonic() - begun)
    assert status(driver) == "50,000 segments"
    click(driver, "[data-go='last']")
    assert value(driver, "page") == "2500"
    assert len(segments(driver)) == 20
    assert complaints(driver) == []


def test_within_a_notebook(
    driver: Any, found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a frame that cannot access the notebook; links to sections stay in it."""
    display = pytest.importorskip("IPython.display")
    shown: list[str] = []
    monkeypatch.setattr(display, "display", lambda data, raw: shown.append(data["text/html"]))
    found.show(height=500)
    page = f"<!doctype html><meta charset=utf-8><title>Notebook</title>{shown[0]}"
    (tmp_path / "notebook.html").write_text(page, encoding="utf-8")
    complaints(driver)
    requests(driver)
    driver.get((tmp_path / "notebook.html").as_uri())
    [frame] = driver.find_elements(By.TAG_NAME, "iframe")
    assert frame.size["height"] == 502  # with its border
    driver.switch_to.frame(frame)
    try:
        wait(driver, lambda: driver.find_element(By.ID, "list").is_displayed())
        driver.find_element(By.CSS_SELECTOR, "nav a[href='#segments']").click()
        wait(driver, lambda: driver.execute_script("return window.scrollY") > 500)
        assert driver.execute_script("return location.href").startswith("about:srcdoc")
    finally:
        driver.switch_to.default_content()
    assert driver.title == "Notebook" and complaints(driver) == []
    assert all(address.startswith(("file:", "data:", "about:")) for address in requests(driver))
