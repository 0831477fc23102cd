// Many runs of several laws by the compiled kernels, with growing histograms.
import { ask, element } from "./ask.js";
import { drawRace, raceText } from "./charts.js";

const FIRST = ["harmonic", "local", "uniform"];
const MOST_PARTS = 200;

export class Race {
  constructor(app, laws) {
    this.app = app;
    this.lanes = {};
    this.turn = 0;
    const boxes = laws.map((name) => {
      const label = document.createElement("label"), box = document.createElement("input");
      Object.assign(box, { type: "checkbox", name: "lane", value: name, checked: FIRST.includes(name) });
      label.append(box, ` ${name}`);
      return label;
    });
    element("lanes").replaceChildren(...boxes);
    element("race").addEventListener("click", () => (this.running ? this.stop() : this.start()));
  }

  get running() {
    return element("race").dataset.running === "yes";
  }

  stop() {
    this.turn += 1;
    element("race").dataset.running = "";
    element("race").textContent = "Start the race";
  }

  clear() {
    this.stop();
    this.lanes = {};
    element("finish").hidden = true;
    element("finish-text").replaceChildren();
  }

  async start() {
    const chosen = [...document.querySelectorAll("[name=lane]:checked")].map((box) => box.value);
    if (!chosen.length) {
      this.app.say("Choose at least one law for the race.");
      return;
    }
    this.turn += 1;
    const { turn } = this, setting = { ...this.app.setting };
    this.lanes = Object.fromEntries(chosen.map((name) => [name, { evaluations: [], success: [] }]));
    element("race").dataset.running = "yes";
    element("race").textContent = "Stop the race (the first runs compile)";
    element("finish").hidden = false;
    try {
      for (let part = 0; part < MOST_PARTS && turn === this.turn; part += 1) {
        for (const name of chosen) {
          const found = await ask("race", { setting: { ...setting, mutation: name }, part });
          if (turn !== this.turn) return;
          this.lanes[name].evaluations.push(...found.evaluations);
          this.lanes[name].success.push(...found.success);
          element("race").textContent = "Stop the race";
          this.draw();
        }
        await new Promise((done) => { setTimeout(done, 60); });
      }
    } catch (error) {
      this.app.say(error.message);
    }
    if (turn === this.turn) this.stop();
  }

  draw() {
    if (element("finish").hidden) return;
    drawRace(element("finish"), this.app.palette, this.lanes);
    const lines = Object.keys(this.lanes).map((name) => {
      const item = document.createElement("li");
      item.textContent = raceText(name, this.lanes[name]);
      return item;
    });
    element("finish-text").replaceChildren(...lines);
  }
}
