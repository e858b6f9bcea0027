"""A real browser without a window: Chromium of the system, driven by Selenium."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
DRIVER = shutil.which("chromedriver")
SECONDS = 30  # to wait for a page, on a busy machine


@contextmanager
def browser() -> Iterator[Any]:
    """Open a browser; skip the test where there is none."""
    webdriver = pytest.importorskip("selenium.webdriver")
    if CHROMIUM is None or DRIVER is None:
        pytest.skip("chromium and chromedriver are not installed")
    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for argument in ("headless=new", "no-sandbox", "disable-dev-shm-usage", "hide-scrollbars"):
        options.add_argument(f"--{argument}")
    options.add_argument("--window-size=1280,1200")
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))
    try:
        driver.set_script_timeout(SECONDS)
        yield driver
    finally:
        driver.quit()


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
