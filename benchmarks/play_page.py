"""Frames and offspring per second of ``hyperna play`` in a headless Chromium.

    python benchmarks/play_page.py

Needs selenium, chromium and chromedriver. Every line is measured for three seconds of play.
"""

import shutil
import threading
import time

from selenium import webdriver

from hyperna.play import PlayServer

SECONDS = 3.0
LINKS = {
    "circle, 1 neuron, with landscape": "#problem=local_opt&neurons=1&mutation=local&seed=4",
    "circle, 2 neurons": "#problem=two_quarters&mutation=local&resolution=10000",
    "circle, 8 neurons, evolved output": "#problem=arcs&k=8&neurons=8&output=evolved",
    "sphere, 2 neurons": "#problem=two_quarters&dim=3&output=or",
}
SPEEDS = {"30 offspring per second": 3, "as fast as possible": 9}
MEASURE = """
const [seconds, speed, done] = arguments;
document.getElementById("speed").value = speed;
play.search.task.budget = Infinity;
play.play(true);
let frames = 0, from = play.search.evaluations;
const start = performance.now();
const count = (now) => {
  frames += 1;
  if (play.search.ended) { from -= play.search.evaluations; play.restart(); play.play(true); }
  if (now - start < 1000 * seconds) { requestAnimationFrame(count); return; }
  const passed = (performance.now() - start) / 1000;
  done([frames / passed, (play.search.evaluations - from) / passed]);
};
requestAnimationFrame(count);
"""


def main() -> None:
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or shutil.which("google-chrome") or ""
    for switch in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(switch)
    options.add_argument("--window-size=1280,900")
    chrome = webdriver.Chrome(options, webdriver.ChromeService(shutil.which("chromedriver")))
    with PlayServer(0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            print(f"{'':36} {'speed':24} {'frames/s':>9} {'offspring/s':>12}")
            for name, link in LINKS.items():
                for speed, place in SPEEDS.items():
                    chrome.get("about:blank")
                    chrome.get(server.url + link)
                    while not chrome.execute_script("return window.play?.search"):
                        time.sleep(0.05)
                    time.sleep(2)
                    fps, rate = chrome.execute_async_script(MEASURE, SECONDS, place)
                    print(f"{name:36} {speed:24} {fps:9.1f} {rate:12,.0f}")
        finally:
            chrome.quit()
            server.shutdown()


if __name__ == "__main__":
    main()
