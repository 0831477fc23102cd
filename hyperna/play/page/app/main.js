// Where everything begins: in a page, or in a worker that the page has made of this same code.
import { App } from "./app.js";
import { element } from "./dom.js";
import { answerJobs } from "./work.js";

async function startPage() {
  try {
    const facts = JSON.parse(element("facts").textContent);
    const app = new App(facts, element("code").textContent);
    await app.open(location.hash.length > 1 ? location.hash : facts.start);
    requestAnimationFrame((now) => app.tick(now));
    window.play = app;
    document.documentElement.dataset.ready = "yes";
  } catch (error) {
    element("message").textContent = `The page cannot start: ${error.message}`;
    element("message").hidden = false;
    throw error;
  }
}

if (typeof document === "undefined") answerJobs();
else startPage();
