// The page: scenes, controls, keys, theme. What a scene shows is its own business.
import { knowsLaw } from "../engine/laws.js";
import { taskOf } from "../engine/task.js";
import { Palette, whole } from "../draw/paint.js";
import { choose, chosen, button, element, make, write } from "./dom.js";
import { Editor, listArcs, withNewArc } from "./edit.js";
import { Form } from "./form.js";
import { readLink, writeLink } from "./link.js";
import { RaceScene } from "./race.js";
import { RuleScene } from "./rule.js";
import { RATES, RunScene } from "./run.js";
import { Server } from "./served.js";
import { checked, withProblem } from "./settings.js";
import { Share } from "./share.js";
import { Pool } from "./work.js";

const LONGEST_FRAME = 250; // milliseconds; after a longer pause a run does not catch up
const KEYS = { s: "step", i: "improve", r: "again", n: "next", t: "theme" };

export class App {
  constructor(facts, code) {
    this.facts = facts;
    this.server = new Server(facts.served);
    this.pool = new Pool(code);
    this.setTheme(null);
    this.palette = new Palette();
    this.playing = false;
    this.frames = [];
    this.run = new RunScene(this);
    this.race = new RaceScene(this);
    this.rule = new RuleScene(this);
    this.editor = new Editor(this);
    this.form = new Form(this);
    this.share = new Share(this);
    this.listScenes();
    this.listen();
    if (facts.home) Object.assign(element("home"), { href: facts.home, title: "What is hyperna? Its documentation" });
  }

  // ---- scenes

  listScenes() {
    const links = this.facts.scenes.map(({ id, title }) => make("a", { href: `#scene=${id}`, textContent: title }));
    element("scenes").replaceChildren(...links);
    element("sample").replaceChildren(
      new Option("choose", ""),
      ...Object.keys(this.facts.samples).map((name) => new Option(name, name)),
    );
  }

  // What the current scene is made of: one run, a race, or rules.
  get current() {
    return this[this.scene.kind];
  }

  // Show what an address describes, or say what is wrong with it and show the first scene.
  async open(hash) {
    this.quiet();
    try {
      await this.show(readLink(hash, this.facts));
    } catch (error) {
      await this.show(readLink("#", this.facts));
      this.say(`This link cannot be shown: ${error.message}. The first scene is shown instead.`);
    }
  }

  async show({ scene, setting, at, again, lanes, table, terms, theme, bare }) {
    const whole = checked({ ...scene.setting, ...setting }, this.facts);
    // Whatever is wrong with the setting is said before anything changes.
    const task = scene.kind === "run" ? await this.task(whole) : null;
    if (theme) this.setTheme(theme);
    document.documentElement.toggleAttribute("data-bare", bare);
    const first = this.scene !== scene;
    if (first && this.scene) this.announce(`${scene.title}: ${scene.heading}`);
    Object.assign(this, { scene, setting: whole, lanes: lanes ?? scene.lanes ?? [], bare, themeOfLink: theme });
    document.body.dataset.kind = scene.kind;
    document.body.dataset.scene = scene.id;
    write(element("heading"), scene.heading);
    document.title = `${scene.title} · hyperna play`;
    for (const link of element("scenes").children) {
      if (link.hash === `#scene=${scene.id}`) {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView?.({ block: "nearest", inline: "nearest" });
      } else link.removeAttribute("aria-current");
    }
    if (first) this.setRate(scene.rate);
    this.play(false);
    if (scene.kind !== "race") this.race.turn += 1;
    this.pool.stop();
    if (scene.kind === "run") {
      this.run.begin(task);
      this.run.replay(at, again);
    } else if (scene.kind === "race") this.race.begin(whole, { lanes: this.lanes, runs: scene.runs });
    else this.rule.begin(whole, table ?? scene.table, terms);
    this.showSetting();
    // A scene begins to play by itself, a moment of a run does not.
    if (scene.kind === "run" && at === 1 && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
    this.remember();
  }

  onward() {
    const { scenes } = this.facts;
    const next = scenes[(scenes.indexOf(this.scene) + 1) % scenes.length];
    location.hash = `scene=${next.id}`;
  }

  // ---- settings

  // The task of a setting; null for an empty set of points.
  async task(setting) {
    if (setting.problem === "points" && !setting.points.length) return null;
    return taskOf(setting, this.facts, await this.law(setting));
  }

  // A law that this page does not know, from the server; null if the page knows it or there is no server.
  async law({ mutation, resolution }) {
    if (knowsLaw(mutation) || !this.server.served) return null;
    return this.server.ask("law", { mutation, resolution });
  }

  // What is known exactly about a setting with one neuron; null if nothing is. Chains know no restarts.
  async exact(setting, ask = true) {
    const { problem, mutation, resolution, neurons, dim, bias, neuron, restarts, stagnation } = setting;
    if (neurons !== 1 || dim !== 2 || !bias || neuron !== "plain" || restarts || stagnation) return null;
    const stored = this.facts.exact.find(
      (one) => one.problem === problem && one.mutation === mutation && one.resolution === resolution,
    );
    if (stored && (!ask || stored.chances || stored.times || !this.server.served)) return stored;
    if (!ask || !this.server.served) return null;
    return this.server.ask("exact", setting);
  }

  // Change a part of the setting; one that is refused leaves everything as it was.
  async change(part, playOn = this.playing) {
    try {
      const setting = checked({ ...this.setting, ...part }, this.facts);
      const task = this.scene.kind === "run" ? await this.task(setting) : null;
      this.quiet();
      this.setting = setting;
      this.play(false);
      if (this.scene.kind === "run") {
        this.run.begin(task);
        if (playOn && task) this.play(true);
      } else if (this.scene.kind === "race") this.race.begin(setting, { lanes: this.lanes, runs: this.scene.runs });
      else this.rule.begin(setting, this.rule.name, null);
    } catch (error) {
      this.say(error.message);
      if (this.run.view) this.run.view.arcs = this.run.task.fitness.arcs;
    }
    this.showSetting();
    this.remember();
  }

  nextSeed() {
    const [low, high] = this.facts.ranges.seed;
    this.change({ seed: this.setting.seed < high ? this.setting.seed + 1 : low }, true);
  }

  setArcs(arcs) {
    this.change({ ...withProblem("custom_arcs", { ...this.setting, arcs }, this.facts), arcs }, true);
  }

  setLanes(lanes) {
    if (!lanes.length) {
      this.say("Choose at least one kind of step for the race.");
      this.showSetting();
      return;
    }
    this.lanes = lanes;
    this.change({});
  }

  showSetting() {
    const { setting, scene } = this;
    this.form.show(setting, this.lanes);
    write(element("sentence"), (setting.problem === "points" && scene.sentence_of_points) || scene.sentence);
    const rules = scene.kind === "rule";
    element("play").hidden = rules;
    // The rules of a table are known; those of one's own points can be searched for again.
    const known = rules && !this.rule.isOwn;
    element("bar").hidden = known;
    element("next").disabled = known;
    write(element("next"), rules ? "Search again" : "New seed");
    const { kind } = this.editor;
    if (kind) element("stage").dataset.edit = kind;
    else delete element("stage").dataset.edit;
    if (scene.id === "draw") {
      const drawing = setting.problem === "points" ? "points" : "custom_arcs";
      choose("drawing", drawing);
      for (const box of document.querySelectorAll("[data-drawing]")) box.hidden = box.dataset.drawing !== drawing;
      if (drawing === "custom_arcs") listArcs(setting.arcs, (arcs) => this.setArcs(arcs));
      element("sample").value = "";
      element("to-rule").disabled = new Set(setting.points.map((point) => point[2])).size < 2;
    }
    this.redraw();
  }

  // ---- controls

  listen() {
    const on = (id, name, act) => element(id).addEventListener(name, act);
    on("play", "click", () => this.play(!this.playing));
    on("step", "click", () => this.run.step());
    on("improve", "click", () => this.run.improve());
    on("again", "click", () => this.startOver());
    on("next", "click", () => this.nextSeed());
    on("speed", "input", () => this.tellRate());
    on("theme", "click", () => this.toggleTheme());
    on("add-arc", "click", () => {
      const arcs = withNewArc(this.setting.arcs);
      if (arcs && arcs.length <= this.facts.rows.arcs[1]) this.setArcs(arcs);
      else this.say("There is no room for another arc.");
    });
    on("clear", "click", () => this.change({ points: [] }));
    on("sample", "change", () => {
      if (element("sample").value) this.change({ points: this.facts.samples[element("sample").value] }, true);
    });
    on("to-rule", "click", () => {
      const rule = this.facts.scenes.find(({ kind }) => kind === "rule");
      location.hash = writeLink(rule, { points: this.setting.points }, this.facts, { table: "points" });
    });
    for (const radio of document.querySelectorAll("[name=drawing]")) {
      radio.addEventListener("change", () => {
        const name = chosen("drawing");
        const points = this.setting.points.length ? this.setting.points : Object.values(this.facts.samples)[0];
        this.change({ ...withProblem(name, this.setting, this.facts), ...(name === "points" ? { points } : {}) }, true);
      });
    }
    for (const radio of document.querySelectorAll("[name=heat]")) radio.addEventListener("change", () => this.redraw());
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.hash) this.open(location.hash);
    });
    window.addEventListener("resize", () => this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme(this.themeOfLink));
  }

  key(event) {
    const field = event.target.closest("input, select, textarea, pre");
    if (
      (field && !["range", "radio", "checkbox"].includes(field.type)) ||
      event.ctrlKey ||
      event.metaKey ||
      event.altKey
    )
      return;
    const name = KEYS[event.key.toLowerCase()];
    const scene = this.facts.scenes[Number(event.key) - 1];
    if (event.key === " " && !event.target.closest("button, summary, a, input")) this.play(!this.playing);
    else if (event.key === "+" || event.key === "-") {
      element("speed").value = Number(element("speed").value) + (event.key === "+" ? 1 : -1);
      this.tellRate();
    } else if (name) element(name).click();
    else if (scene) location.hash = `scene=${scene.id}`;
    else return;
    event.preventDefault();
  }

  play(on) {
    if (on && this.hasEnded) this.startOver();
    this.playing = on && !(this.scene.kind === "run" && !this.run.search);
    const label = this.playing ? ["❚❚", "Pause"] : ["▶", "Play"];
    element("play").replaceChildren(make("span", { textContent: label[0], ariaHidden: "true" }), ` ${label[1]}`);
    if (!this.playing) this.remember();
    this.redraw();
  }

  get hasEnded() {
    return this.scene.kind === "run" ? Boolean(this.run.search?.ended) : this.scene.kind === "race" && this.race.ended;
  }

  startOver() {
    if (this.scene.kind === "rule") return;
    this.current.restart();
    this.remember();
  }

  get rate() {
    return RATES[Number(element("speed").value)];
  }

  setRate(rate) {
    element("speed").value = String(Math.max(0, RATES.indexOf(rate)));
    this.tellRate();
  }

  tellRate() {
    const { rate } = this;
    const text = rate === Infinity ? "as fast as possible" : `${whole(rate)} evaluations per second`;
    write(element("rate"), rate === Infinity ? "fastest" : `${whole(rate)} per s`);
    element("speed").setAttribute("aria-valuetext", text);
  }

  // ---- light and dark

  // `wanted` is "light" or "dark"; null: as chosen before, or as the system.
  setTheme(wanted) {
    let kept = null;
    try {
      kept = localStorage.getItem("hyperna-theme");
    } catch {
      // Some browsers keep nothing for files.
    }
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    document.documentElement.dataset.theme = wanted ?? kept ?? system;
    this.palette?.read();
    if (this.scene) this.redraw();
  }

  toggleTheme() {
    const theme = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    const system = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
    try {
      if (theme === system) localStorage.removeItem("hyperna-theme");
      else localStorage.setItem("hyperna-theme", theme);
    } catch {
      // It is light or dark until the page is closed.
    }
    this.setTheme(theme);
  }

  // ---- telling

  numbers(pairs) {
    const box = element("numbers");
    if (box.children.length !== pairs.length) {
      box.replaceChildren(...pairs.map(() => make("div", {}, make("dt"), make("dd"))));
    }
    pairs.forEach(([value, name], i) => {
      write(box.children[i].querySelector("dd"), value);
      write(box.children[i].querySelector("dt"), name);
    });
  }

  // What is happening; a change of tone is announced to screen readers.
  news({ tone, text, actions }, known) {
    const box = element("news");
    const labels = actions.map(({ label }) => label).join();
    if (box.dataset.tone !== tone && tone !== "calm") this.announce(text);
    box.dataset.tone = tone;
    write(element("news-text"), text);
    write(element("known"), known);
    if (element("actions").dataset.labels === labels) return;
    element("actions").dataset.labels = labels;
    const hadFocus = element("actions").contains(document.activeElement);
    element("actions").replaceChildren(...actions.map(({ label, act }) => button(label, () => this.current.act(act))));
    // Who pressed one of them with the keyboard is not thrown back to the top of the page.
    if (hadFocus) element(element("play").hidden ? "terms" : "play").focus({ preventScroll: true });
  }

  legend(entries) {
    element("legend").replaceChildren(
      ...entries.map(([mark, text]) => make("li", {}, make("i", { className: mark }), ` ${text}`)),
    );
  }

  say(text) {
    write(element("message"), text);
    element("message").hidden = false;
  }

  quiet() {
    element("message").hidden = true;
    write(element("message"), "");
  }

  announce(text) {
    write(element("announcement"), text);
  }

  // ---- pictures

  redraw() {
    this.stale = true;
  }

  tick(now) {
    this.frames.push(now);
    while (this.frames[0] < now - 1000) this.frames.shift();
    const passed = Math.min(now - (this.last ?? now), LONGEST_FRAME);
    this.last = now;
    this.current.tick(now, passed);
    if (this.stale) {
      this.stale = false;
      this.current.draw();
      this.share.show();
    }
    document.documentElement.dataset.fps = String(this.frames.length);
    requestAnimationFrame((next) => this.tick(next));
  }

  // Keep the address in step, without a new entry in the history.
  remember() {
    const others = { ...this.current.link(), bare: this.bare ? 1 : null, theme: this.themeOfLink };
    if (others.lanes === this.scene.lanes?.join("_and_")) others.lanes = null;
    if (others.table === this.scene.table) others.table = null;
    this.hash = writeLink(this.scene, this.setting, this.facts, others);
    try {
      history.replaceState(null, "", this.hash);
    } catch {
      // Pages inside some frames have no address of their own.
    }
  }
}
