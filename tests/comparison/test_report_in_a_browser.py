"""The report in a real browser: it sorts, filters, pages, and runs nothing that users wrote."""

import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("jinja2")

from rapidbleu import BLEU, CHRF, compare
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
    return compare(systems, references, [BLEU(), CHRF()], labels=labels, n_resamples=100)


@pytest.fixture(scope="module")
def report(found: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(found, path, "Three systems")
    return path


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """Chromium of the system without a window, driven by Selenium."""
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
    """What the page's console says."""
    return [entry["message"] for entry in driver.get_log("browser")]


def requests(driver: Any) -> list[str]:
    """Addresses that the page asked for."""
    entries = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    return [
        entry["params"]["request"]["url"]
        for entry in entries
        if entry["method"] == "Network.requestWillBeSent"
    ]


def opened(driver: Any, path: Path) -> None:
    driver.get(path.as_uri())
    wait(driver, lambda: driver.find_element(By.ID, "list").is_displayed())


def wait(driver: Any, condition: Callable[[], Any]) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end, complaints(driver)
        time.sleep(0.02)


def change(driver: Any, name: str, value: Any) -> None:
    """Give an element of the form a value, and wait for the list."""
    before = driver.find_element(By.ID, "list").get_attribute("data-ready")
    driver.execute_script(
        "const element = document.getElementById('choices').elements[arguments[0]];"
        "if (element.type === 'checkbox') element.checked = arguments[1];"
        "else element.value = arguments[1];"
        "element.dispatchEvent(new Event('change', {bubbles: true}));",
        name, value,
    )  # fmt: skip
    wait(driver, lambda: driver.find_element(By.ID, "list").get_attribute("data-ready") != before)


def column(driver: Any, place: int) -> list[str]:
    script = (
        "return [...document.querySelectorAll('#list .numbers')]"
        ".map(row => row.cells[arguments[0]].innerText)"
    )
    cells: list[str] = driver.execute_script(script, place)
    return cells


def titles(driver: Any) -> list[str]:
    heads = driver.find_elements(By.CSS_SELECTOR, "#list thead th")
    return [head.text.split("\n")[0] for head in heads]


def press(driver: Any, title: str) -> None:
    for button in driver.find_elements(By.CSS_SELECTOR, "#list thead button"):
        if button.text.startswith(title):
            driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", button)
            button.click()
            break
    else:
        raise AssertionError(titles(driver))
    time.sleep(0.2)


def status(driver: Any) -> str:
    text: str = driver.find_element(By.ID, "status").text
    return text


def test_it_opens_from_the_disk_and_loads_nothing(page: Any, report: Path) -> None:
    assert complaints(page) == []
    assert [url for url in requests(page) if not url.startswith("data:")] == [report.as_uri()]
    assert page.title == "Three systems"
    assert status(page) == f"{N:,} segments"


def test_biggest_differences_come_first(page: Any, found: Any) -> None:
    gains = found.segment_scores["BLEU"]["two"] - found.segment_scores["BLEU"]["one"]
    order = sorted(range(N), key=lambda i: (-gains[i], i))
    assert column(page, 0) == [str(i + 1) for i in order[:20]]
    press(page, "B − A")
    order = sorted(range(N), key=lambda i: (gains[i], i))
    assert column(page, 0) == [str(i + 1) for i in order[:20]]
    assert [float(cell) for cell in column(page, 5)] == pytest.approx(
        [gains[i] for i in order[:20]], abs=0.006
    )


def test_sorting_by_segment_and_score(page: Any, found: Any) -> None:
    press(page, "segment")
    assert column(page, 0) == [str(i) for i in range(1, 21)]
    press(page, "segment")
    assert column(page, 0) == [str(i) for i in range(N, N - 20, -1)]
    change(page, "metric", "1")
    press(page, "two")
    scores = sorted(found.segment_scores["chrF2"]["two"], reverse=True)
    assert [float(cell) for cell in column(page, 4)] == pytest.approx(scores[:20], abs=0.006)
    [head] = page.find_elements(By.CSS_SELECTOR, "#list th[aria-sort]")
    assert head.get_attribute("aria-sort") == "descending"
    assert head.text.startswith("two")


def test_filters(page: Any, found: Any) -> None:
    change(page, "label", "0")
    n = found.labels.count("<i>talks</i>")
    assert status(page) == f"{n} of {N:,} segments"
    assert set(column(page, 1)) == {"<i>talks</i>"}
    change(page, "least", "5")
    change(page, "most", "6")
    lengths = found.segments["length"].tolist()
    n = sum(i % 3 == 0 and 5 <= lengths[i] <= 6 for i in range(N))
    assert status(page) == f"{n:,} of {N:,} segments"
    change(page, "label", "")
    change(page, "least", "")
    change(page, "most", "")
    change(page, "text", "nEEDLE")
    assert status(page) == f"1 of {N:,} segments"
    assert column(page, 0) == ["8"]
    change(page, "text", "no such text anywhere")
    assert status(page) == f"0 of {N:,} segments"
    assert column(page, 0) == []


def test_pages(page: Any) -> None:
    press(page, "segment")
    last = -(-N // 20)
    assert page.find_element(By.ID, "n-pages").text == str(last)
    go = {b.get_attribute("data-go"): b for b in page.find_elements(By.CSS_SELECTOR, "[data-go]")}
    assert not go["back"].is_enabled()
    for where, first in (("next", 21), ("last", 20 * last - 19), ("back", 20 * last - 39)):
        page.execute_script("arguments[0].click()", go[where])
        wait(page, lambda first=first: column(page, 0)[0] == str(first))
    page.execute_script("arguments[0].click()", go["first"])
    wait(page, lambda: column(page, 0)[0] == "1")


def test_text_of_users_is_shown_and_not_run(page: Any, found: Any) -> None:
    change(page, "text", "needle")
    change(page, "all", True)
    assert page.title == "Three systems"
    shown = [text.text for text in page.find_elements(By.CSS_SELECTOR, "#list dd")]
    texts = [found.references[7][0], *(own[7] for own in found.outputs.values())]
    assert shown == [" ".join(text.split()) for text in texts]
    assert page.find_elements(By.CSS_SELECTOR, "#list b, #list script, #list i") == []


def test_marks(driver: Any, tmp_path: Path) -> None:
    systems = {"A": ["the the the cat sat on"], "B": ["a mouse on the rug"]}
    found = compare(systems, [["the cat sat on the mat"]], n_resamples=10)
    write_report(found, tmp_path / "marks.html")
    opened(driver, tmp_path / "marks.html")
    marked = driver.execute_script(
        "return [...document.querySelectorAll('#list dd')].map(d => "
        "[...d.childNodes].map(n => [n.className || n.nodeName, n.textContent]))"
    )
    reference, one, other = marked
    assert one == [
        ["m1", "the"], ["#text", " "], ["S", "the"], ["#text", " "], ["m4", "the cat sat on"],
    ]  # fmt: skip
    assert other == [["#text", "a mouse "], ["m2", "on the"], ["#text", " rug"]]
    assert [text for name, text in reference if name == "U"] == ["mat"]


def test_tables_are_sorted(page: Any, found: Any) -> None:
    [table] = page.find_elements(By.CSS_SELECTOR, "#scores table")
    for button in table.find_elements(By.CSS_SELECTOR, "thead button"):
        if button.text.startswith("BLEU"):
            button.click()
    names = [row.text for row in table.find_elements(By.CSS_SELECTOR, "tbody th")]
    scores = dict(zip(found.systems, found.scores["bleu"], strict=True))
    assert names == sorted(scores, key=scores.__getitem__, reverse=True)


def test_choices_of_figures_and_pairs(page: Any) -> None:
    def shown(selector: str) -> int:
        return sum(e.is_displayed() for e in page.find_elements(By.CSS_SELECTOR, selector))

    assert shown("#buckets figure") == 4
    assert shown("#ngrams .pair") == 2
    page.execute_script(
        "const s = document.querySelector('#ngrams select'); s.selectedIndex = 2;"
        "s.dispatchEvent(new Event('change'))"
    )
    assert shown("#ngrams .pair") == 2


@pytest.mark.parametrize(("dark", "width"), [(False, 1280), (True, 1280), (False, 420)])
def test_it_fits(driver: Any, report: Path, dark: bool, width: int) -> None:
    feature = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    size = {"width": width, "height": 1200, "deviceScaleFactor": 1, "mobile": False}
    driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        opened(driver, report)
        assert driver.execute_script("return window.innerWidth") == width
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width
        if SCREENSHOTS:
            name = f"report-{'dark' if dark else 'light'}-{width}.png"
            driver.save_screenshot(str(Path(SCREENSHOTS, name)))
        assert complaints(driver) == []
    finally:
        driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})


def test_fifty_thousand_segments_of_five_systems(
    driver: Any, tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """The page stays small, opens, and answers: how fast is recorded, not judged."""
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
    go = driver.find_element(By.CSS_SELECTOR, "[data-go='last']")
    driver.execute_script("arguments[0].click()", go)
    wait(driver, lambda: driver.find_element(By.ID, "page").get_attribute("value") == "2500")
    assert len(column(driver, 0)) == 20
    assert complaints(driver) == []


def test_within_a_notebook(
    driver: Any, found: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a frame whose page cannot reach the notebook; links to sections stay in it."""
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
        assert driver.execute_script("return location.href") == "about:srcdoc#segments"
    finally:
        driver.switch_to.default_content()
    assert driver.title == "Notebook" and complaints(driver) == []
    assert all(address.startswith(("file:", "data:", "about:")) for address in requests(driver))
