// The page: setting, run, pictures.
import { ask, copy, element, save } from "./ask.js";
import { Landscape, drawHistory } from "./charts.js";
import { Editor, listArcs } from "./edit.js";
import { network } from "./fitness.js";
import { Palette, fit, percent, whole } from "./paint.js";
import { Race } from "./race.js";
import { Search } from "./search.js";
import { DEFAULTS, fromHash, toHash } from "./share.js";
import { viewOf } from "./views.js";

// Offspring per second; the last one: as many as fit between two pictures.
const RATES = [1, 3, 10, 30, 100, 1000, 10000, 100000, 1000000, Infinity];
// Milliseconds of work and drawing per picture: less than the 16.7 from one refresh of the screen to the next.
const FRAME = 13, LEAST_WORK = 2;
// Where pictures are further apart than this, the work shrinks: 30 pictures per second come first.
const SLOW = 26;
const SLOWEST_FILM = 8000;
const NUMBERS = ["dim", "k", "neurons", "resolution", "seed", "restarts", "stagnation"];
const ENDS = {
  success: "Success",
  budget: "Stopped at the limit of evaluations",
  stagnation: "Stopped: no improvement for too long",
};

class App {
  constructor(choices) {
    this.choices = choices;
    this.palette = new Palette();
    this.playing = false;
    this.debt = 0;
    this.drawing = 10;
    this.work = FRAME;
    this.frames = [];
    this.created = [];
    this.asked = 0;
    this.pending = {};
    this.setting = structuredClone(DEFAULTS);
    this.fillLists();
    this.editor = new Editor(this);
    this.race = new Race(this, Object.keys(choices.laws));
    this.listen();
  }

  fillLists() {
    const fill = (id, names) => element(id).replaceChildren(...names.map((name) => new Option(name.replaceAll("_", " "), name)));
    fill("problem", Object.keys(this.choices.problems));
    fill("mutation", Object.keys(this.choices.laws));
    fill("output", this.choices.outputs);
    fill("neuron", this.choices.neurons);
    fill("sample", ["", ...this.choices.samples]);
    element("sample").options[0].text = "choose";
  }

  listen() {
    const on = (id, name, act) => element(id).addEventListener(name, act);
    on("play", "click", () => this.play(!this.playing));
    on("step", "click", () => this.single(() => this.search.step()));
    on("improve", "click", () => this.single(() => this.search.improve(performance.now() + 4000)));
    on("again", "click", () => this.restart());
    on("next", "click", () => this.change({ seed: (this.setting.seed + 1) % 2 ** 32 }));
    on("speed", "input", () => this.tellRate());
    for (const name of ["problem", "output", "mutation", "neuron"]) on(name, "change", () => this.choose(name, element(name).value));
    for (const name of NUMBERS) on(name, "change", () => this.choose(name, Number(element(name).value)));
    on("bias", "change", () => this.change({ bias: element("bias").checked }));
    on("add-arc", "click", () => this.addArc());
    on("clear", "click", () => this.change({ points: [[0.4, 0.4, 1], [-0.4, -0.4, 0]] }));
    on("sample", "change", () => this.fillPoints(element("sample").value));
    on("classify", "click", () => this.classify());
    on("link", "click", () => this.copyLink());
    on("copy", "click", async () => this.tell((await copy(element("python").textContent)) ? "Python lines copied" : "Select the lines and copy them"));
    on("png", "click", () => this.composed().toBlob((blob) => save(blob, `${this.setting.problem}.png`)));
    on("film", "click", () => this.film());
    for (const radio of document.querySelectorAll("[name=heat]")) radio.addEventListener("change", () => this.redraw());
    addEventListener("hashchange", () => this.open(location.hash));
    addEventListener("keydown", (event) => this.key(event));
    addEventListener("resize", () => this.redraw());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      this.palette.read();
      this.redraw();
    });
    document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  }

  key(event) {
    const field = event.target.closest("input, select, textarea, pre");
    if ((field && field.type !== "range") || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = { s: "step", i: "improve", r: "again", n: "next" };
    const name = keys[event.key.toLowerCase()];
    if (event.key === " " && event.target.tagName !== "BUTTON") this.play(!this.playing);
    else if (event.key === "+" || event.key === "-") {
      element("speed").value = Number(element("speed").value) + (event.key === "+" ? 1 : -1);
      this.tellRate();
    } else if (name && !event.target.closest("#stage[data-kind=points]")) element(name).click();
    else return;
    event.preventDefault();
  }

  // Show what an address describes, or say what is wrong with it and show the default.
  async open(hash) {
    if (hash === this.hash) return;
    try {
      const { setting, at } = fromHash(hash);
      const task = await ask("task", setting);
      this.begin(task);
      this.fastForward(at);
    } catch (error) {
      this.begin(await ask("task", DEFAULTS));
      this.say(`This link cannot be shown: ${error.message}. The default is shown instead.`);
    }
  }

  // Change a part of the setting; a setting that is refused leaves everything as it was.
  async change(part) {
    this.asked += 1;
    const mine = this.asked;
    // A change that is still under way stays in force beside the next one.
    this.pending = { ...this.pending, ...part };
    try {
      const task = await ask("task", { ...this.setting, ...this.pending });
      if (mine !== this.asked) return;
      this.pending = {};
      this.quiet();
      this.begin(task);
    } catch (error) {
      if (mine !== this.asked) return;
      this.pending = {};
      this.say(error.message);
      this.view.arcs = this.task.fitness.arcs;
      this.show();
    }
  }

  async choose(name, value) {
    const part = { [name]: value };
    if (name === "problem") {
      if (value === "points") {
        part.dim = 2;
        if (!this.setting.points.length) part.points = (await ask("sample", { name: this.choices.samples[0] })).points;
        part.neurons = Math.max(this.setting.neurons, 3);
      }
      if (value === "custom_arcs" && this.task.fitness.arcs.length) {
        part.arcs = this.task.fitness.arcs.map((arc) => arc.map((turn) => Math.round(turn * 360)));
      }
      if (value === "cube") Object.assign(part, { dim: 3, neurons: 4 });
      else if (["half", "quarter", "local_opt"].includes(value)) Object.assign(part, { neurons: 1, dim: 2 });
      else if (value === "two_quarters") Object.assign(part, { neurons: 2 });
      else if (value === "arcs") part.neurons = Math.min(this.setting.k, 8);
    }
    await this.change(part);
  }

  addArc() {
    const arcs = this.setting.arcs.map((arc) => [...arc]).sort((a, b) => a[0] - b[0]);
    let widest = null;
    arcs.forEach(([, end], i) => {
      const next = i + 1 < arcs.length ? arcs[i + 1][0] : arcs[0][0] + 360;
      if (!widest || next - end > widest.gap) widest = { gap: next - end, from: end };
    });
    if (widest.gap < 12) this.say("There is no room for another arc.");
    else {
      const start = Math.round(widest.from + widest.gap / 3) % 360;
      this.change({ arcs: [...arcs, [start, start + Math.round(widest.gap / 3)]] });
    }
  }

  async fillPoints(name) {
    if (!name) return;
    const { points } = await ask("sample", { name });
    this.change({ points });
  }

  async classify() {
    element("classify").disabled = true;
    this.tell("Fitting; the first time hyperna compiles its kernels, which may take a minute.");
    try {
      const { rule, accuracy, answers } = await ask("classify", this.setting);
      element("rule").hidden = false;
      element("rule").textContent = `${percent(accuracy, 1)} of these points are classified correctly (dotted line)\n\n${rule}`;
      this.view.mesh = answers;
      this.redraw();
      this.tell("The classifier is fitted.");
    } catch (error) {
      this.say(error.message);
    }
    element("classify").disabled = false;
  }

  begin(task) {
    const before = this.view;
    this.task = task;
    this.setting = task.setting;
    this.view = viewOf(task, this.palette);
    if (before?.turn && this.view.turn) this.view.turn(before.around, before.up);
    this.landscape = null;
    this.race.clear();
    element("rule").hidden = true;
    this.restart();
    this.show();
    this.loadLandscape();
  }

  restart() {
    this.search = new Search(this.task);
    this.debt = 0;
    this.redraw();
    this.remember();
  }

  fastForward(at) {
    this.search.advance(at - this.search.evaluations, performance.now() + SLOWEST_FILM);
    this.redraw();
    this.remember();
  }

  async loadLandscape() {
    const { task } = this;
    element("for-landscape").hidden = !task.landscape;
    if (!task.landscape) return;
    element("landscape-text").textContent = "computing …";
    try {
      const data = await ask("landscape", this.setting);
      if (task !== this.task) return;
      this.landscape = new Landscape(data, this.setting.resolution);
      for (const radio of document.querySelectorAll("[value=remaining]")) {
        radio.disabled = !data.remaining;
        if (!data.remaining && radio.checked) document.querySelector("[value=fitness]").checked = true;
      }
      this.redraw();
    } catch (error) {
      if (task === this.task) element("landscape-text").textContent = error.message;
    }
  }

  // Put the setting into the form.
  show() {
    const { setting } = this;
    for (const name of ["problem", "output", "mutation", "neuron", ...NUMBERS]) {
      const field = element(name), value = String(setting[name]);
      if (name === "mutation" && ![...field.options].some((option) => option.value === value)) field.add(new Option(value, value));
      if (field.value !== value) field.value = value;
    }
    element("bias").checked = setting.bias;
    element("summary").textContent = this.choices.problems[setting.problem] ?? "";
    element("law").textContent = this.choices.laws[setting.mutation.split(":")[0]] ?? "";
    element("for-k").hidden = setting.problem !== "arcs";
    element("for-arcs").hidden = setting.problem !== "custom_arcs";
    element("for-points").hidden = setting.problem !== "points";
    element("dim").disabled = setting.problem === "points";
    element("output").disabled = setting.neurons === 1;
    element("python").textContent = this.task.python;
    element("stage").dataset.kind = this.editor.kind;
    element("stage").className = this.editor.kind;
    if (setting.problem === "custom_arcs") listArcs(setting.arcs, (arcs) => this.change({ arcs }));
    element("second").textContent = this.task.fitness.arcs.length ? "network answers 1" : "negative";
    this.makeThumbnails();
    this.tellRate();
    this.redraw();
  }

  makeThumbnails() {
    const count = this.setting.neurons, box = element("thumbnails");
    if (box.children.length === count + 1) return;
    const figures = Array.from({ length: count + 1 }, (_, i) => {
      const figure = document.createElement("figure"), canvas = document.createElement("canvas");
      const caption = document.createElement("figcaption");
      canvas.setAttribute("role", "img");
      caption.textContent = i < count ? `neuron ${i + 1}` : "network";
      figure.append(canvas, caption);
      return figure;
    });
    box.replaceChildren(...figures);
  }

  play(on) {
    this.playing = on && !this.search.ended;
    if (on && this.search.ended) {
      this.restart();
      this.playing = true;
    }
    element("play").innerHTML = this.playing ? '<span aria-hidden="true">❚❚</span> Pause' : '<span aria-hidden="true">▶</span> Play';
    this.last = performance.now();
    this.debt = this.playing && this.rate < 10 ? 1 : 0;
    if (!this.playing) this.remember();
  }

  single(act) {
    this.play(false);
    act();
    this.redraw();
    this.remember();
    if (this.search.ended) this.finished();
  }

  get rate() {
    return RATES[Number(element("speed").value)];
  }

  tellRate() {
    const { rate } = this, text = rate === Infinity ? "as fast as possible" : `${whole(rate)} offspring per second`;
    element("rate").textContent = text;
    element("speed").setAttribute("aria-valuetext", text);
  }

  // One picture: as many offspring as are due, then the drawing.
  tick(now) {
    this.frames.push(now);
    while (this.frames[0] < now - 1000) this.frames.shift();
    if (this.playing) {
      const passed = Math.min(now - this.last, 250);
      this.last = now;
      this.debt = this.rate === Infinity ? Infinity : this.debt + (this.rate * passed) / 1000;
      const due = this.rate === Infinity ? Infinity : Math.floor(this.debt);
      if (due > 0) {
        const wanted = this.work * (passed > SLOW ? 0.8 : 1.1);
        this.work = Math.max(LEAST_WORK, Math.min(wanted, FRAME - this.drawing));
        const done = this.search.advance(due, performance.now() + this.work);
        this.created.push([now, done]);
        // What does not fit between two pictures is not owed.
        this.debt = this.rate === Infinity ? 0 : Math.min(this.debt - done, 1);
        this.stale = true;
      }
      if (this.search.ended) {
        this.play(false);
        this.finished();
      }
    }
    while (this.created.length && this.created[0][0] < now - 1000) this.created.shift();
    if (this.stale) {
      const from = performance.now();
      this.draw();
      this.drawing += 0.2 * (performance.now() - from - this.drawing);
    }
    requestAnimationFrame((next) => this.tick(next));
  }

  redraw() {
    this.stale = true;
  }

  draw() {
    this.stale = false;
    const { search, palette } = this, canvas = element("stage"), size = fit(canvas), { context } = size;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, size.width, size.height);
    this.view.draw(context, size, search);
    if (this.editor.kind === "ring") this.view.handles(context, size);
    this.editor.draw(context, size, palette);
    drawHistory(element("history"), palette, search);
    const net = network(this.task, search.genome);
    [...element("thumbnails").querySelectorAll("canvas")].forEach((thumb, i) => {
      const small = fit(thumb);
      small.context.clearRect(0, 0, small.width, small.height);
      this.view.thumbnail(small.context, small, net, i < net.size ? i : null);
      thumb.setAttribute("aria-label", i < net.size ? describe(net.hidden[i], i) : `The network is correct on ${percent(search.share)}`);
    });
    this.drawLandscape();
    this.race.draw();
    this.tellStatus();
  }

  drawLandscape() {
    if (!this.landscape) return;
    const kind = document.querySelector("[name=heat]:checked").value, { search, landscape } = this, { data } = landscape;
    landscape.draw(element("landscape"), this.palette, search, kind);
    const { remaining } = landscape.at(search.genome, this.task.unit);
    let text = `best ${percent(data.best)} (white dot), ${data.local.length ? "local optima (crosses)" : "no other local optimum"}. `;
    if (data.remaining === null) text += `${data.why}.`;
    else if (search.ended === "success") text += "The optimum is found.";
    else if (remaining === null) text += "From here the optimum may never be found.";
    else text += `Exact expected time left from here: ${whole(remaining)} evaluations; from a random start ${data.mean === null ? "infinite" : whole(data.mean)}.`;
    element("landscape-text").textContent = text;
    element("landscape").setAttribute("aria-label", `Landscape of one neuron over angle and bias: ${text}`);
  }

  tellStatus() {
    const { search } = this;
    const made = this.created.reduce((sum, [, count]) => sum + count, 0);
    const parts = [`${whole(search.evaluations)} evaluation${search.evaluations === 1 ? "" : "s"}`, `${percent(search.share)} correct`, `${whole(search.accepted)} accepted`];
    if (search.restarts) parts.push(`restart ${search.restarts}`);
    if (search.ended) parts.push(ENDS[search.ended]);
    else if (this.playing && this.rate > 30) parts.push(`${whole(made)} per second`);
    element("status").textContent = parts.join(" · ");
    document.documentElement.dataset.fps = String(this.frames.length);
    document.documentElement.dataset.rate = String(made);
    element("stage").setAttribute("aria-label", `${this.setting.problem.replaceAll("_", " ")}: ${parts.join(", ")}. ${this.setting.neurons} neurons, output ${this.setting.output}.`);
    element("history").setAttribute("aria-label", `Fitness over time: ${percent(search.share)} after ${whole(search.evaluations)} evaluations, ${search.history.length - 1} improvements`);
  }

  finished() {
    this.tell(`${ENDS[this.search.ended]} after ${whole(this.search.evaluations)} evaluations, ${percent(this.search.share)} correct.`);
    this.redraw();
  }

  // Keep the address in step, without a new entry in the history.
  remember() {
    this.hash = toHash(this.setting, this.search.evaluations);
    history.replaceState(null, "", this.hash);
  }

  async copyLink() {
    this.remember();
    this.tell((await copy(location.href)) ? "Link copied" : "Copy the address of this page");
  }

  // The picture with its sentence, on the page's background.
  composed() {
    const stage = element("stage"), canvas = document.createElement("canvas");
    canvas.width = stage.width;
    canvas.height = stage.height + 60;
    const context = canvas.getContext("2d");
    context.fillStyle = this.palette.paper;
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(stage, 0, 0);
    context.fillStyle = this.palette.ink;
    context.font = "24px system-ui, sans-serif";
    context.textAlign = "center";
    context.fillText(element("status").textContent, canvas.width / 2, stage.height + 36, canvas.width - 20);
    return canvas;
  }

  film() {
    const button = element("film");
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    if (!window.MediaRecorder || !element("stage").captureStream) {
      this.say("This browser cannot record films.");
      return;
    }
    const stream = element("stage").captureStream(30), parts = [];
    const type = ["video/webm;codecs=vp9", "video/webm", "video/mp4"].find((name) => MediaRecorder.isTypeSupported(name));
    this.recorder = new MediaRecorder(stream, { mimeType: type, videoBitsPerSecond: 4e6 });
    this.recorder.ondataavailable = (event) => parts.push(event.data);
    this.recorder.onstop = () => {
      this.recorder = null;
      button.textContent = "Record film";
      button.setAttribute("aria-pressed", "false");
      const blob = new Blob(parts, { type });
      button.dataset.bytes = String(blob.size);
      save(blob, `${this.setting.problem}.${type.includes("mp4") ? "mp4" : "webm"}`);
    };
    this.recorder.start();
    button.textContent = "Stop and download film";
    button.setAttribute("aria-pressed", "true");
    if (!this.playing) this.play(true);
  }

  say(text) {
    element("message").textContent = text;
    element("message").hidden = false;
  }

  quiet() {
    element("message").hidden = true;
  }

  tell(text) {
    element("news").textContent = text;
  }
}

function describe({ w, b, theta }, i) {
  if (theta !== null) return `Neuron ${i + 1} fires in a cone of ${Math.round((theta * 180) / Math.PI)} degrees to either side of its arrow`;

  const terms = [...w].map((value, k) => `${value.toFixed(2)} x${k + 1}`).join(" + ");
  return `Neuron ${i + 1} fires where ${terms} >= ${b.toFixed(2)}`;
}

async function start() {
  try {
    const app = new App(await ask("choices"));
    await app.open(location.hash || "#");
    document.documentElement.dataset.ready = "yes";
    requestAnimationFrame((now) => app.tick(now));
    window.play = app;
  } catch (error) {
    element("message").textContent = error.message;
    element("message").hidden = false;
  }
}

start();
