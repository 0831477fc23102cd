// The scene of short rules: a path from one term to many, and the rule of it that the slider chooses.
//
// The paths of the tables are those of NAClassifier, computed beforehand. For one's own points hyperna play asks
// NAClassifier; a page without it searches by itself.
import { drawPath, ruleAt } from "../draw/path.js";
import { counted, percent } from "../draw/paint.js";
import { RuleView } from "../draw/rule.js";
import { ruleText } from "../rules/readable.js";
import { shortestRule } from "../rules/path.js";
import { element, make } from "./dom.js";
import { ruleLines } from "./python.js";

const OWN = "points"; // the name of a table of one's own points

export class RuleScene {
  constructor(app) {
    this.app = app;
    this.path = [];
    this.listen();
  }

  listen() {
    const { app } = this;
    const slider = element("terms");
    slider.addEventListener("input", () => this.select(Number(slider.value)));
    element("path").addEventListener("click", (event) => {
      if (this.path.length) this.select(ruleAt(element("path"), this.path, event.offsetX));
    });
    element("table").addEventListener("change", () => app.open(`#scene=rule&table=${element("table").value}`));
  }

  begin(setting, name, terms) {
    const { facts } = this.app;
    const own = {
      features: ["x", "y"],
      unit: "",
      classes: ["orange", "blue"],
      title: "my own points",
      points: setting.points,
    };
    Object.assign(this, { setting, name, wanted: terms, table: name === OWN ? own : facts.tables[name] });
    const names = Object.entries(facts.tables).map(([key, { title }]) => new Option(title, key));
    element("table").replaceChildren(...names, ...(name === OWN ? [new Option(own.title, OWN)] : []));
    element("table").value = name;
    this.view = new RuleView(this.table, this.app.palette);
    const [negative, positive] = this.table.classes;
    this.app.legend([
      ["positive", positive],
      ["answer square", negative],
      ["ringed", "mistake"],
    ]);
    this.restart();
  }

  get isOwn() {
    return this.name === OWN;
  }

  // Find the path.
  async restart() {
    const { app, table, setting } = this;
    Object.assign(this, { path: [], chosen: 0, share: 0, touched: false, byClassifier: true });
    if (table.path) {
      this.hear({ share: 1, path: table.path });
      return;
    }
    const labels = new Set(table.points.map((point) => point[2]));
    if (labels.size < 2) {
      app.say("A rule needs points of both colours.");
      return;
    }
    if (app.server.served && (await this.askServer())) return;
    if (table !== this.table) return;
    this.byClassifier = false;
    await app.pool.run("rules", [{ points: table.points, seed: setting.seed }], (part) => this.hear(part));
    if (app.scene.kind === "rule") app.redraw();
  }

  // Whether the server has answered with a path.
  async askServer() {
    const { app, table, setting } = this;
    try {
      const { path } = await app.server.ask("classify", { points: table.points, seed: setting.seed });
      if (table === this.table) this.hear({ share: 1, path });
      return true;
    } catch (error) {
      if (table === this.table) app.say(error.message);
      return false;
    }
  }

  hear({ share, path }) {
    this.share = share;
    this.path = path;
    const chosen = path.findIndex((rule) => rule.chosen);
    this.shortest = chosen < 0 ? shortestRule(path, this.table.points) : chosen;
    const slider = element("terms");
    slider.max = String(path.length - 1);
    if (!this.touched) {
      const wanted = this.wanted === null ? this.shortest : path.findLastIndex(({ terms }) => terms <= this.wanted);
      this.chosen = Math.max(wanted, 0);
    }
    this.chosen = Math.min(this.chosen, path.length - 1);
    this.app.redraw();
  }

  select(index) {
    this.touched = true;
    this.chosen = index;
    this.app.redraw();
  }

  // The rule in the picture.
  get rule() {
    return this.path[this.chosen];
  }

  tick() {
    // A path is found elsewhere.
  }

  draw() {
    const { app, rule, path } = this;
    const { palette } = app;
    const n = this.table.points.length;
    this.view.draw(element("stage"), rule);
    drawPath(element("path"), palette, path, this.chosen, this.share === 1 ? this.shortest : -1);
    const slider = element("terms");
    if (Number(slider.value) !== this.chosen) slider.value = String(this.chosen);
    if (!rule) {
      app.numbers([]);
      app.news(this.news(), "");
      return;
    }
    slider.setAttribute("aria-valuetext", `${counted(rule.terms, "term")}, ${counted(rule.errors, "error")}`);
    app.numbers([
      [String(rule.terms), rule.terms === 1 ? "term" : "terms"],
      [String(rule.errors), rule.errors === 1 ? "error" : "errors"],
      [percent(1 - rule.errors / n), "correct"],
    ]);
    this.writeRule(rule);
    app.news(this.news(), this.share === 1 ? this.chosenText() : "");
    element("stage").setAttribute(
      "aria-label",
      `${n} points. Rule: ${this.words(rule)}. ${counted(rule.errors, "error")}.`,
    );
    element("path").setAttribute(
      "aria-label",
      path.map((one) => `${counted(one.terms, "term")}: ${counted(one.errors, "error")}`).join(", "),
    );
  }

  writeRule(rule) {
    const { head, conditions, rest } = ruleText(rule, this.table);
    const items = conditions.map((condition, i) => {
      const item = make("li", { textContent: condition });
      item.style.setProperty("--line-colour", this.app.palette.neurons[i % 8]);
      return item;
    });
    const box = element("rule");
    const text = head + conditions.join("") + (rest ?? "");
    if (box.dataset.text === text + this.app.palette.paper) return;
    box.dataset.text = text + this.app.palette.paper;
    box.replaceChildren(
      make("strong", { textContent: head }),
      make("ul", {}, ...items),
      ...(rest ? [make("p", { className: "quiet", textContent: rest })] : []),
    );
  }

  // What the star marks, and who found the rules.
  chosenText() {
    if (this.byClassifier) return "★ NAClassifier's choice: the fewest bits for the rule and for what it leaves open";
    return "★ the shortest description: bits for the rule plus bits for its exceptions. Found by this page; NAClassifier may find other rules.";
  }

  news() {
    if (this.byClassifier && this.share < 1)
      return {
        tone: "calm",
        text: "NAClassifier looks for rules of all sizes; the first time its code is compiled, which takes a while.",
        actions: [],
      };
    if (this.share < 1)
      return { tone: "calm", text: `Searching rules of all sizes: ${percent(this.share, 0)} done.`, actions: [] };
    const { path, chosen, rule } = this;
    const next = path[chosen + 1];
    const actions = [{ label: "Next scene", act: "onward" }];
    if (!next) return { tone: "calm", text: "This is the longest rule of the path.", actions };
    const more = counted(next.terms - rule.terms, "term");
    const text =
      next.errors === rule.errors
        ? `With ${more} more: still ${counted(rule.errors, "error")}.`
        : `With ${more} more: ${counted(next.errors, "error")} instead of ${rule.errors}.`;
    return { tone: "calm", text, actions };
  }

  act(name) {
    if (name === "onward") this.app.onward();
  }

  python() {
    const seed = this.isOwn ? this.setting.seed : 0;
    const text = this.byClassifier
      ? "These lines find exactly this path."
      : "These lines let NAClassifier find rules for the same points.";
    return { lines: ruleLines(this.name, this.table, { seed, terms: this.rule?.terms }), text };
  }

  link() {
    const { wanted } = this;
    const rule = this.path[this.chosen];
    return { table: this.name, terms: this.touched && rule ? rule.terms : wanted };
  }

  // A rule in one line.
  words(rule) {
    const { head, conditions } = ruleText(rule, this.table);
    return `${head} ${conditions.join("; ")}`;
  }

  caption() {
    return this.rule ? `${this.words(this.rule)} (${counted(this.rule.errors, "error")})` : "";
  }
}
