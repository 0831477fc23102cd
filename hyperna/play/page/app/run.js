// A scene with one run: play, step, look at it.
import { fitnessOf, network } from "../engine/fitness.js";
import { Simulation } from "../engine/search.js";
import { drawHistory } from "../draw/history.js";
import { Landscape } from "../draw/landscape.js";
import { fit, percent, whole } from "../draw/paint.js";
import { drawEmptyPlane } from "../draw/plane.js";
import { viewOf } from "../draw/views.js";
import { chosen, choose, element, make, write } from "./dom.js";
import { runLines } from "./python.js";
import { LEAST_PAUSE, PATIENCE, knownText, newsOf } from "./story.js";
import { plainName } from "./words.js";

// Evaluations per second; the last one: as many as fit between two pictures.
export const RATES = [1, 3, 10, 30, 100, 1000, 10000, 100000, Infinity];
// Milliseconds of work and drawing per picture: less than the 16.7 from one refresh of the screen to the next.
const FRAME = 13;
const LEAST_WORK = 2;
// Where pictures are further apart than this, the work shrinks: 30 pictures per second come first.
const SLOW = 26;
// Milliseconds to reach the moment of a link.
const LONGEST_REPLAY = 8000;

const LEGENDS = {
  circle: [
    ["ring positive", "should say yes"],
    ["ring answer", "says yes"],
    ["wrong", "mistake"],
    ["dashed", "move taken back"],
    ["dashed own", "where it was"],
  ],
  plane: [
    ["positive", "blue"],
    ["answer square", "orange"],
    ["ringed", "mistake"],
    ["dashed", "move taken back"],
    ["dashed own", "where it was"],
  ],
  sphere: [
    ["ring positive", "should say yes"],
    ["ring answer", "says yes, wrongly"],
    ["wrong", "mistake"],
    ["dashed", "move taken back"],
    ["dashed own", "where it was"],
  ],
};

export class RunScene {
  constructor(app) {
    this.app = app;
    this.search = null;
    this.drawing = 10;
    this.work = FRAME;
    this.created = [];
  }

  get playing() {
    return this.app.playing;
  }

  // Begin with a task; null where there is nothing to learn yet.
  begin(task) {
    const before = this.view;
    this.task = task;
    this.landscape = null;
    this.exact = null;
    this.view = task ? viewOf(task, this.app.palette) : null;
    if (before?.turn && this.view?.turn) this.view.turn(before.around, before.up);
    this.again = [];
    if (task?.landscape) this.landscape = new Landscape(task, fitnessOf(task));
    this.restart();
    this.learn();
    this.showLegend();
    this.makeThumbnails();
  }

  restart() {
    this.search = this.task ? new Simulation(this.task) : null;
    this.again = [];
    this.fresh();
  }

  // Forget how long the run has been without improvement.
  fresh() {
    this.debt = 0;
    this.patience = PATIENCE;
    this.improvedAt = performance.now();
    this.improvements = this.search?.history.length ?? 0;
    this.app.redraw();
  }

  // Go on from a new random network.
  restartByHand() {
    this.again.push(this.search.evaluations);
    this.search.restart();
    this.fresh();
  }

  // Repeat a run up to an evaluation, with the restarts by hand that it had.
  replay(at, again) {
    if (!this.search) return;
    const until = performance.now() + LONGEST_REPLAY;
    for (const moment of again) {
      this.search.advance(moment - this.search.evaluations, until);
      this.restartByHand();
    }
    this.search.advance(at - this.search.evaluations, until);
    this.fresh();
    // Who opens a moment of a stalled run hears of it at once.
    if (at > 1) this.improvedAt = -Infinity;
  }

  // What is known exactly, beforehand or from the server.
  async learn() {
    const { task } = this;
    if (!task || !this.landscape) return;
    try {
      const exact = await this.app.exact(task.setting);
      if (!exact || task !== this.task) return;
      this.exact = exact;
      this.landscape.know(exact);
      this.app.redraw();
    } catch {
      // Without exact answers the scene is complete, too.
    }
  }

  get stalled() {
    const { search } = this;
    return !search.ended && search.idle >= this.patience && performance.now() - this.improvedAt > LEAST_PAUSE;
  }

  act(name) {
    const { app } = this;
    if (name === "wait") {
      this.patience = 4 * Math.max(this.patience, this.search.idle);
      app.play(true);
    }
    if (name === "restart") {
      this.restartByHand();
      app.play(true);
    }
    if (name === "harmonic") app.change({ mutation: "harmonic" }, true);
    if (name === "next") app.nextSeed();
    if (name === "onward") app.onward();
  }

  single(move) {
    if (!this.search) return;
    move(this.search);
    this.app.play(false); // which notes the moment in the address
    this.app.redraw();
  }

  step() {
    this.single((search) => search.step());
  }

  improve() {
    this.single((search) => search.improve(performance.now() + 4000));
  }

  // As many evaluations as are due since the last picture.
  tick(now, passed) {
    const { search } = this;
    while (this.created.length && this.created[0][0] < now - 1000) this.created.shift();
    if (!this.playing || !search) return;
    const { rate } = this.app;
    this.debt = rate === Infinity ? Infinity : this.debt + (rate * passed) / 1000;
    const due = rate === Infinity ? Infinity : Math.floor(this.debt);
    if (due > 0) {
      const wanted = this.work * (passed > SLOW ? 0.8 : 1.1);
      this.work = Math.max(LEAST_WORK, Math.min(wanted, FRAME - this.drawing));
      const done = search.advance(due, performance.now() + this.work);
      this.created.push([now, done]);
      // What does not fit between two pictures is not owed.
      this.debt = rate === Infinity ? 0 : Math.min(this.debt - done, 1);
    }
    if (search.history.length !== this.improvements) {
      this.improvements = search.history.length;
      this.improvedAt = performance.now();
    }
    this.app.redraw();
    if (search.ended) this.app.play(false);
  }

  // ---- drawing

  draw() {
    const started = performance.now();
    const { app, search, view } = this;
    const { palette } = app;
    const canvas = element("stage");
    if (!search) {
      this.drawNothing(canvas);
      return;
    }
    const size = fit(canvas);
    const { context } = size;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, size.width, size.height);
    view.draw(context, size, search.genome, search.offspring);
    if (app.editor.kind === "ring") view.drawHandles(context, size);
    app.editor.drawCursor(context, size, palette);
    this.drawSide();
    this.tell();
    this.drawing += 0.2 * (performance.now() - started - this.drawing);
  }

  drawNothing(canvas) {
    for (const part of ["history", "neurons", "landscape"]) element(`for-${part}`).hidden = true;
    const size = drawEmptyPlane(canvas, this.app.palette, "Click to place points in two colours.");
    this.app.editor.drawCursor(size.context, size, this.app.palette);
    this.app.numbers([]);
    this.app.news({ tone: "calm", text: "There is nothing to learn yet.", actions: [] }, "");
  }

  drawSide() {
    const { search, landscape, app } = this;
    element("for-history").hidden = false;
    drawHistory(element("history"), app.palette, search);
    const net = network(this.task, search.genome);
    for (const [i, canvas] of [...element("thumbnails").querySelectorAll("canvas")].entries()) {
      const small = fit(canvas);
      const which = i < net.size ? i : null;
      this.view.drawSmall(small.context, small, net, which);
      canvas.setAttribute(
        "aria-label",
        which === null ? `The network is correct on ${percent(search.share)}` : describe(net.hidden[i], i),
      );
    }
    element("for-neurons").hidden = this.task.setting.neurons === 1;
    element("for-landscape").hidden = !landscape;
    if (landscape) this.drawLandscape();
  }

  drawLandscape() {
    const { landscape, app, search } = this;
    const known = Boolean(landscape.images.exact);
    element("heat").hidden = !known;
    if (!known) choose("heat", "fitness");
    write(element("exact-name"), landscape.exact?.kind === "time" ? "expected time left" : "chance of success");
    landscape.draw(element("landscape"), app.palette, search, chosen("heat"));
    const local = landscape.local.length ? "crosses: local optima" : "no other local optimum";
    write(element("landscape-text"), `White dots: best networks; ${local}; red: this network. Bright is good.`);
    element("landscape").setAttribute(
      "aria-label",
      `Landscape of all networks of one neuron. This one is correct on ${percent(search.share)}.`,
    );
  }

  tell() {
    const { search, app, task } = this;
    const { setting } = task;
    const made = this.created.reduce((sum, [, count]) => sum + count, 0);
    const numbers = [
      [percent(search.share), "correct"],
      [whole(search.evaluations), search.evaluations === 1 ? "evaluation" : "evaluations"],
    ];
    if (search.restarts) numbers.push([whole(search.restarts), search.restarts === 1 ? "restart" : "restarts"]);
    if (this.playing && app.rate > 100) numbers.push([whole(made), "per second"]);
    app.numbers(numbers);
    app.news(
      newsOf(search, { playing: this.playing, stalled: this.stalled }),
      knownText(search, this.landscape, this.exact),
    );
    document.documentElement.dataset.rate = String(made);
    const words = numbers.map((pair) => pair.join(" ")).join(", ");
    element("stage").setAttribute(
      "aria-label",
      `${plainName(setting.problem)}: ${words}. ${setting.neurons} neurons joined by ${setting.output}.`,
    );
    element("history").setAttribute(
      "aria-label",
      `${numbers.map((pair) => pair.join(" ")).join(", ")}, ${search.history.length - 1} improvements`,
    );
  }

  showLegend() {
    const drawsArcs = this.task?.fitness.arcs.length > 0;
    const round = this.task?.dim === 3 ? "sphere" : "circle";
    this.app.legend(LEGENDS[drawsArcs ? round : "plane"]);
  }

  makeThumbnails() {
    const count = this.task?.setting.neurons ?? 0;
    const figures = Array.from({ length: count > 1 ? count + 1 : 0 }, (_, i) => {
      const canvas = make("canvas");
      canvas.setAttribute("role", "img");
      return make("figure", {}, canvas, make("figcaption", { textContent: i < count ? `neuron ${i + 1}` : "network" }));
    });
    element("thumbnails").replaceChildren(...figures);
  }

  // ---- what others need

  python() {
    if (!this.task) return { lines: "", text: "" };
    const lines = runLines(this.task.setting, this.task, this.app.facts);
    if (!this.again.length) return { lines, text: "These lines repeat exactly this run." };
    const moment = `evaluation ${whole(this.again[0])}`;
    return {
      lines,
      text: `These lines repeat this run up to ${moment}, where you began anew; the link repeats all of it.`,
    };
  }

  link() {
    const { search } = this;
    if (!search) return {};
    return {
      at: search.evaluations > 1 ? search.evaluations : null,
      again: this.again.length ? this.again.join("_") : null,
    };
  }

  caption() {
    return [...element("numbers").children]
      .map((pair) => `${pair.querySelector("dd").textContent} ${pair.querySelector("dt").textContent}`)
      .join(" · ");
  }
}

function describe({ w, b, theta }, i) {
  if (theta !== null) {
    const degrees = Math.round((theta * 180) / Math.PI);
    return `Neuron ${i + 1} says yes in a cone of ${degrees} degrees to either side of its arrow`;
  }
  const terms = [...w].map((value, k) => `${value.toFixed(2)} x${k + 1}`).join(" + ");
  return `Neuron ${i + 1} says yes where ${terms} >= ${b.toFixed(2)}`;
}
