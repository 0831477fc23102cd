// The form in which every part of a setting can be changed.
import { element, make, write } from "./dom.js";
import { withProblem } from "./settings.js";
import {
  NEURON_WORDS,
  OUTPUT_WORDS,
  PROBLEM_WORDS,
  lawWords,
  neuronMeaning,
  outputMeaning,
  plainName,
} from "./words.js";

const CHOICES = ["problem", "output", "mutation", "neuron"];

export class Form {
  constructor(app) {
    this.app = app;
    const { facts } = app;
    const fill = (id, names, words = {}) =>
      element(id).replaceChildren(...names.map((name) => new Option(words[name] ?? plainName(name), name)));
    fill("problem", Object.keys(facts.problems), PROBLEM_WORDS);
    fill("output", Object.keys(facts.outputs), OUTPUT_WORDS);
    fill("neuron", Object.keys(facts.neurons), NEURON_WORDS);
    fill("mutation", Object.keys(facts.laws));
    for (const [name, [low, high]] of Object.entries(facts.ranges))
      if (name !== "dim") Object.assign(element(name), { min: low, max: high });
    this.makeLanes();
    this.listen();
  }

  makeLanes() {
    const boxes = Object.keys(this.app.facts.laws).map((law) => {
      const box = make("input", { type: "checkbox", name: "lane", value: law });
      box.addEventListener("change", () =>
        this.app.setLanes([...document.querySelectorAll("[name=lane]:checked")].map(({ value }) => value)),
      );
      return make("label", {}, box, ` ${plainName(law)}`);
    });
    element("lanes").append(...boxes);
  }

  listen() {
    const { app } = this;
    document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
    for (const name of CHOICES) {
      element(name).addEventListener("change", () => {
        const { value } = element(name);
        app.change(name === "problem" ? withProblem(value, app.setting, app.facts) : { [name]: value });
      });
    }
    for (const name of Object.keys(app.facts.ranges))
      element(name).addEventListener("change", () => app.change({ [name]: Number(element(name).value) }));
    element("bias").addEventListener("change", () => app.change({ bias: element("bias").checked }));
  }

  // Put a setting into the form.
  show(setting, lanes) {
    const { facts } = this.app;
    for (const name of [...CHOICES, ...Object.keys(facts.ranges)]) {
      const field = element(name);
      const value = String(setting[name]);
      if (name === "mutation" && ![...field.options].some((option) => option.value === value))
        field.add(new Option(value, value));
      field.value = value;
    }
    element("bias").checked = setting.bias;
    for (const box of document.querySelectorAll("[name=lane]")) box.checked = lanes.includes(box.value);
    write(element("summary"), facts.problems[setting.problem].summary);
    write(element("law"), lawWords(setting.mutation, facts));
    write(element("output-text"), outputMeaning(setting.output, facts));
    write(element("neuron-text"), neuronMeaning(setting.neuron, facts));
    element("for-k").hidden = setting.problem !== "arcs";
    element("dim").disabled = setting.problem === "points";
    element("output").disabled = setting.neurons === 1;
  }
}
