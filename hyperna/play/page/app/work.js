// Long computations, in workers where the browser has them: many runs of a race, and the search for rules.
import { Simulation } from "../engine/search.js";
import { taskOf } from "../engine/task.js";
import { searchPath } from "../rules/path.js";

const MOST_WORKERS = 4;
// Evaluations of a run between two parts of an answer.
const PIECE = 50000;

// Runs number `first` to before `last` of a setting: yields { run, evaluations, success } as they end.
function* raceJob({ setting, law, first, last, facts }) {
  const task = taskOf(setting, facts, law);
  for (let run = first; run < last; run += 1) {
    const search = new Simulation(task, run);
    while (!search.ended) {
      search.advance(PIECE);
      if (!search.ended) yield null;
    }
    const success = search.ended === "success";
    // A run that is known to be stuck would use up all its evaluations.
    yield { run, evaluations: search.ended === "stuck" ? task.budget : search.evaluations, success };
  }
}

const JOBS = { race: raceJob, rules: ({ points, seed }) => searchPath(points, seed) };

// What a worker does: answer jobs, part by part.
export function answerJobs() {
  self.onmessage = ({ data: { id, kind, job } }) => {
    for (const part of JOBS[kind](job)) if (part !== null) self.postMessage({ id, part });
    self.postMessage({ id, done: true });
  };
}

// A pool of workers made of this page's own code; without workers jobs run in the page, piece by piece.
export class Pool {
  constructor(code) {
    this.code = code;
    this.workers = [];
    this.waiting = new Set(); // what ends the wait for a worker
    this.current = 0;
  }

  // Work on some jobs; `hear(part, number of the job)` gets their parts. Resolves when all are done.
  async run(kind, jobs, hear) {
    this.stop();
    this.current += 1;
    const { current } = this;
    const listen = (part, i) => {
      if (current === this.current) hear(part, i);
    };
    const queue = jobs.map((job, i) => ({ job, i }));
    const count = Math.min(MOST_WORKERS, Math.max(1, (navigator.hardwareConcurrency || 2) - 1), jobs.length);
    const serve = async () => {
      let worker = this.start();
      for (let next = queue.shift(); next && current === this.current; next = queue.shift()) {
        const finished = worker ? await this.ask(worker, kind, next, listen) : false;
        if (finished || current !== this.current) continue;
        // No workers here, for a policy forbids them: the page works itself.
        worker = null;
        await this.workHere(kind, next, listen, current);
      }
    };
    await Promise.all(Array.from({ length: count }, serve));
    return current === this.current;
  }

  start() {
    try {
      const worker = new Worker(URL.createObjectURL(new Blob([this.code], { type: "text/javascript" })));
      this.workers.push(worker);
      return worker;
    } catch {
      return null;
    }
  }

  // Resolves to whether the worker has done the job.
  ask(worker, kind, { job, i }, hear) {
    return new Promise((resolve) => {
      const end = (done) => {
        this.waiting.delete(end);
        resolve(done);
      };
      this.waiting.add(end);
      worker.onmessage = ({ data }) => (data.done ? end(true) : hear(data.part, i));
      worker.onerror = (event) => {
        event.preventDefault();
        end(false);
      };
      worker.postMessage({ id: i, kind, job });
    });
  }

  async workHere(kind, { job, i }, hear, current) {
    let slice = performance.now() + 12;
    for (const part of JOBS[kind](job)) {
      if (part !== null) hear(part, i);
      if (performance.now() < slice) continue;
      await new Promise((resolve) => {
        setTimeout(resolve);
      });
      if (current !== this.current) return;
      slice = performance.now() + 12;
    }
  }

  stop() {
    this.current += 1;
    for (const worker of this.workers) worker.terminate();
    this.workers = [];
    for (const end of this.waiting) end(false);
  }
}
