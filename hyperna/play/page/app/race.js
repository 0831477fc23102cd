// The scene of a race: many runs of several laws, computed at once and shown by the clock.
import { Simulation } from "../engine/search.js";
import { taskOf } from "../engine/task.js";
import { RaceView } from "../draw/race.js";
import { asExactAs, digits, percent, whole, withError } from "../draw/paint.js";
import { element, make } from "./dom.js";
import { raceLines } from "./python.js";
import { lawWords } from "./words.js";

// Seconds of the clock from the first evaluation to the last.
const SECONDS = 10;
// Runs that a worker gets at a time.
const PORTION = 25;

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

function standardError(values) {
  const middle = mean(values);
  return Math.sqrt(
    values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(values.length - 1, 1) / values.length,
  );
}

export class RaceScene {
  constructor(app) {
    this.app = app;
    this.view = new RaceView(app.palette);
    this.lanes = [];
    this.turn = 0;
  }

  begin(setting, { lanes, runs }) {
    Object.assign(this, { setting, runs });
    this.view = new RaceView(this.app.palette);
    this.lanes = lanes.map((law) => ({
      law,
      words: lawWords(law, this.app.facts),
      times: [],
      done: [],
      search: null,
      exact: null,
    }));
    this.restart();
    this.app.legend([]);
    this.compute();
  }

  restart() {
    this.clock = 1;
    this.elapsed = 0;
    for (const lane of this.lanes) if (lane.shown !== undefined) lane.search = new Simulation(lane.task, lane.shown);
    this.app.redraw();
  }

  get computed() {
    return (
      this.lanes.length > 0 &&
      this.lanes.every(({ times }) => times.filter((time) => time !== undefined).length === this.runs)
    );
  }

  get ended() {
    return this.computed && this.clock >= this.most;
  }

  get most() {
    return Math.max(10, ...this.lanes.flatMap(({ times }) => times.filter((time) => time !== undefined)));
  }

  // All runs: by hyperna's compiled kernels where they are, else by workers of the browser.
  async compute() {
    this.turn += 1;
    const { turn, app } = this;
    app.pool.stop();
    try {
      for (const lane of this.lanes) {
        const setting = { ...this.setting, mutation: lane.law };
        const law = await app.law(setting);
        if (turn !== this.turn) return;
        lane.task = taskOf(setting, app.facts, law);
        lane.exact = await app.exact(setting, false);
        if (turn !== this.turn) return;
      }
      if (!(app.server.served && (await this.computeServed(turn)))) await this.computeHere(turn);
      if (turn === this.turn) this.showMedians();
    } catch (error) {
      if (turn === this.turn) app.say(error.message);
    }
  }

  async computeHere(turn) {
    const jobs = this.lanes.flatMap((lane) => {
      const { law, setting } = lane.task;
      const count = Math.ceil(this.runs / PORTION);
      const known = { ...law, weights: law.weights && Array.from(law.weights) };
      return Array.from({ length: count }, (_, i) => ({
        lane,
        job: {
          setting,
          law: known,
          first: i * PORTION,
          last: Math.min(this.runs, (i + 1) * PORTION),
          facts: this.app.facts,
        },
      }));
    });
    await this.app.pool.run(
      "race",
      jobs.map(({ job }) => job),
      ({ run, evaluations, success }, i) => {
        if (turn !== this.turn) return;
        jobs[i].lane.times[run] = evaluations;
        jobs[i].lane.done[run] = success;
        this.app.redraw();
      },
    );
  }

  // Whether the server has computed all runs.
  async computeServed(turn) {
    try {
      for (const lane of this.lanes) {
        while (lane.times.length < this.runs) {
          const found = await this.app.server.ask("race", { setting: lane.task.setting, first: lane.times.length });
          if (turn !== this.turn) return true;
          if (found.unfinished !== null) {
            found.evaluations.push(found.unfinished);
            found.success.push(0);
          }
          lane.times.push(...found.evaluations);
          lane.done.push(...found.success.map(Boolean));
          lane.times.length = Math.min(lane.times.length, this.runs);
          lane.done.length = lane.times.length;
          this.app.redraw();
        }
      }
      return true;
    } catch {
      for (const lane of this.lanes) Object.assign(lane, { times: [], done: [] });
      return false;
    }
  }

  // The pictures show a run of middle length.
  showMedians() {
    for (const lane of this.lanes) {
      const order = lane.times.map((time, run) => ({ time, run })).sort((a, b) => a.time - b.time);
      lane.shown = order[Math.floor(order.length / 2)].run;
    }
    if (this.lanes.some(({ done }) => done.includes(false))) this.app.legend([["dot", "a run that did not get home"]]);
    this.restart();
    this.app.play(true);
  }

  tick(now, passed) {
    if (!this.app.playing || !this.computed) return;
    this.elapsed += passed / 1000;
    this.clock = Math.min(this.most, this.most ** (this.elapsed / SECONDS));
    for (const { search } of this.lanes)
      search?.advance(Math.floor(this.clock) - search.evaluations, performance.now() + 6);
    this.app.redraw();
    if (this.ended) this.app.play(false);
  }

  draw() {
    const { app, lanes, clock } = this;
    const ready = lanes.map((lane) => ({
      ...lane,
      times: this.computed ? lane.times : [],
      done: this.computed ? lane.done : [],
    }));
    this.view.draw(element("stage"), ready, { clock, most: this.most });
    const finished = lanes.reduce((sum, { times }) => sum + times.filter((time) => time !== undefined).length, 0);
    app.numbers([[whole(this.computed ? Math.floor(clock) : 0), "evaluations on the clock"]]);
    app.news(this.news(finished), "");
    this.rank();
    const words = lanes.map(
      (lane) =>
        `${lane.law} ${lane.times.filter((time, run) => lane.done[run] && time <= clock).length} of ${this.runs} home`,
    );
    element("stage").setAttribute("aria-label", `Race of ${lanes.length} laws: ${words.join(", ")}`);
  }

  news(finished) {
    if (!this.computed)
      return {
        tone: "calm",
        text: `Computing the runs: ${whole(finished)} of ${whole(this.runs * this.lanes.length)}.`,
        actions: [],
      };
    const actions = [
      { label: "New seed", act: "next" },
      { label: "Next scene", act: "onward" },
    ];
    if (this.ended) return { tone: "good", text: this.verdict(), actions };
    return {
      tone: "calm",
      text: this.app.playing ? "All runs are under way; the clock runs faster and faster." : "Paused.",
      actions: [],
    };
  }

  // Who won, and by how much: a difference counts where it is more than twice its standard error.
  verdict() {
    const lanes = this.lanes.map(({ law, times, done }) => ({
      law,
      mean: mean(times),
      error: standardError(times),
      solved: mean(done.map(Number)),
    }));
    lanes.sort((a, b) => b.solved - a.solved || a.mean - b.mean);
    const [first, ...others] = lanes;
    const last = others.at(-1);
    if (!last) return `The race is over: ${digits(first.mean)} evaluations on average.`;
    if (last.solved < first.solved) {
      const [more, fewer] = [first, last].map(({ solved }) => percent(solved, 0));
      return `${capital(first.law)} steps bring ${more} of the runs home, ${last.law} steps ${fewer}.`;
    }
    const isClose = (lane) => lane.mean - first.mean < 2 * Math.hypot(first.error, lane.error);
    if (isClose(last)) return "Nobody wins clearly: the differences are no larger than chance.";
    const ratio = `${last.law} steps need ${digits(last.mean / first.mean)} times as many evaluations`;
    const close = others.filter(isClose).map(({ law }) => law);
    if (!close.length) return `${capital(first.law)} steps win: ${ratio}.`;
    return `${capital([first.law, ...close].join(" and "))} steps are about equally fast: ${ratio}.`;
  }

  // The means of all laws, when the race is over.
  rank() {
    element("ranking-text").hidden = this.ended;
    const sorted = this.ended ? [...this.lanes].sort((a, b) => mean(a.times) - mean(b.times)) : [];
    const texts = sorted.map((lane) => laneText(lane));
    const list = element("ranking");
    if (list.textContent === sorted.map(({ law }, i) => `${law}: ${texts[i]}`).join("")) return;
    list.replaceChildren(
      ...sorted.map(({ law }, i) => make("li", {}, make("strong", { textContent: law }), `: ${texts[i]}`)),
    );
  }

  act(name) {
    if (name === "next") this.app.nextSeed();
    if (name === "onward") this.app.onward();
  }

  python() {
    if (!this.lanes[0]?.task) return { lines: "", text: "" };
    const lines = raceLines(
      this.setting,
      this.lanes[0].task,
      this.app.facts,
      this.lanes.map(({ law }) => law),
      this.runs,
    );
    return { lines, text: "These lines repeat exactly these runs." };
  }

  link() {
    return { lanes: this.lanes.map(({ law }) => law).join("_and_") };
  }

  caption() {
    return this.ended ? this.verdict() : `${whole(Math.floor(this.clock))} evaluations`;
  }
}

// A law's mean with its standard error, the exact one if it is known, and the runs that failed.
function laneText({ times, done, exact }) {
  const solved = mean(done.map(Number));
  const error = standardError(times);
  const known = exact && exact.mean !== null ? ` (exact: ${asExactAs(error, exact.mean)})` : "";
  const failed = solved < 1 ? `; ${percent(1 - solved, 0)} did not get there and count with the limit` : "";
  return `${withError(mean(times), error)}${known}${failed}`;
}

const capital = (word) => word[0].toUpperCase() + word.slice(1);
