"""A headless Chromium for tests, or a skip where there is none or none that starts."""

import shutil

import pytest

ATTEMPTS = 3
SWITCHES = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    # In a closed network, looking for updates and accounts delays the start.
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
# Why Chromium did not start in this process, so that the next module need not wait for it again.
reasons = []


def open_browser():
    """Yield a browser that keeps its console and its requests, and close it after."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
    binary = next(filter(None, map(shutil.which, ("chromium", "google-chrome", "chrome"))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no browser: install the packages chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for switch in SWITCHES:
        options.add_argument(switch)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = start(webdriver, options, driver)
    yield chrome
    chrome.quit()


def start(webdriver, options, driver):
    """Return a running browser; a busy machine may need more than one attempt."""
    from selenium.common.exceptions import WebDriverException

    while len(reasons) < ATTEMPTS:
        try:
            chrome = webdriver.Chrome(options, webdriver.ChromeService(driver))
        except WebDriverException as error:
            reasons.append(str(error).splitlines()[0])
        else:
            reasons.clear()
            return chrome
    pytest.skip(f"Chromium does not start here: {reasons[-1]}")
