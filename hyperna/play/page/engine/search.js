// The (1+1) NA, one evaluation at a time: this is hyperna/_kernels/loop.py, with the same random numbers.
import { fitnessOf } from "./fitness.js";
import { Neighbours } from "./neighbours.js";
import { Stream } from "./random.js";
import { Steps } from "./steps.js";
import { isSuccess } from "./success.js";

// Accepted networks that are kept for drawing the way through the landscape.
const LONGEST_PATH = 600;
// Evaluations between two looks at the clock: on a sphere sixteen take a few milliseconds.
const CLOCK_EVERY = 16;
// So many offspring count like a wait: a walk over equally fit networks may go on without end.
const LONG_WALK = 2 ** 15;
// Waits on one level of fitness before a way out is looked for, and how much longer until the next time.
const FIRST_QUESTION = 4;
const LATER = 4;
// Networks of a plateau that are looked at for each wait.
const STATES_PER_WAIT = 250;

export class Simulation {
  // Run number `number` under the setting's seed.
  constructor(task, number = 0) {
    this.task = task;
    this.fitness = fitnessOf(task);
    this.stream = new Stream(task.setting.seed, number);
    this.steps = new Steps(task, this.stream);
    this.neighbours = Neighbours.suit(task)
      ? new Neighbours(task, this.fitness, (genome, score) => isSuccess(task, genome, score))
      : null;
    this.evaluations = 0;
    this.accepted = 0;
    this.restarts = 0;
    this.simulated = 0;
    this.waits = { score: 0, count: 0, question: 0 };
    this.earlier = null; // the best network of earlier starts
    this.ended = "";
    this.history = [];
    this.begin();
  }

  // A network drawn uniformly from the grid.
  begin() {
    const { moduli, zero_bias: zero, free } = this.task;
    this.genome = moduli.map(() => zero ?? 0);
    for (const c of free) this.genome[c] = this.stream.below(moduli[c]);
    this.steps.restart();
    this.path = [];
    this.score = this.fitness.score(this.genome);
    this.evaluations += 1;
    this.rejected = 0;
    this.pending = null; // the step that follows its void steps
    this.wait = null; // the next accepted network, where it is known after how many others it comes
    this.offspring = null;
    this.took(true);
  }

  get share() {
    return this.score / this.task.units;
  }

  // The best network of all starts; one near an optimum comes before all others.
  get best() {
    const { genome, score, earlier } = this;
    const beaten = earlier && earlier.score >= score && this.ended !== "success";
    return beaten ? earlier : { genome, score };
  }

  // Evaluations since the fitness rose, or since the start.
  get idle() {
    return this.evaluations - this.lastRise;
  }

  // The evaluation at which this start ends unless the fitness rises.
  get horizon() {
    const { budget, setting } = this.task;
    return setting.stagnation ? Math.min(budget, this.lastRise + setting.stagnation) : budget;
  }

  // Keep account of an accepted network.
  took(risen) {
    this.path.push(this.genome);
    if (this.path.length > LONGEST_PATH) this.path.splice(0, LONGEST_PATH / 3);
    if (risen) {
      this.history.push([this.evaluations, this.share]);
      this.lastRise = this.evaluations;
    }
    if (isSuccess(this.task, this.genome, this.score)) this.ended = "success";
  }

  // One evaluation.
  step() {
    if (this.ended) return;
    if (this.wait) this.stepOfWait();
    else {
      this.pending ??= this.steps.next();
      this.evaluations += 1;
      if (this.pending.voids > 0) {
        this.pending.voids -= 1;
        this.offspring = { genome: this.genome, parent: this.genome, kept: true, void: true };
      } else {
        const { changes } = this.pending;
        this.pending = null;
        this.create(changes);
      }
    }
    if (!this.ended && this.evaluations >= this.horizon) this.expire();
  }

  // Create the offspring that a step leads to, and keep it if it is not worse.
  create(changes) {
    const { moduli } = this.task;
    this.steps.completeSteps(changes);
    const genome = this.genome.slice();
    for (const { component, move } of changes) {
      const modulus = moduli[component];
      const value = (genome[component] + move) % modulus;
      genome[component] = value < 0 ? value + modulus : value;
    }
    const score = this.fitness.score(genome);
    const risen = score > this.score;
    const kept = score >= this.score;
    if (risen) this.steps.updateLaw(changes);
    this.offspring = { genome, parent: this.genome, kept, void: false };
    this.simulated += 1;
    this.rejected = kept ? 0 : this.rejected + 1;
    if (kept) this.accept(genome, score);
    if (this.neighbours && !this.ended) this.lookAround(risen || (kept && score >= this.notable));
  }

  // The lowest score at which success is looked for.
  get notable() {
    const { goal } = this.task;
    return goal.score ?? (goal.optima.length ? goal.hopeful : Infinity);
  }

  accept(genome, score) {
    const risen = score > this.score;
    this.genome = genome;
    this.score = score;
    this.accepted += 1;
    this.took(risen);
  }

  // After many rejected neighbours look at all of them: wait until one is accepted, or end if none can be.
  lookAround(eventful) {
    const patient = this.rejected === this.neighbours.count;
    if (patient) this.rejected = 0;
    const long = !eventful && !patient && this.simulated % LONG_WALK === 0;
    if (!patient && !long) return;
    const { waits } = this;
    if (waits.score !== this.score) Object.assign(waits, { score: this.score, count: 0, question: FIRST_QUESTION });
    waits.count += 1;
    if (waits.count >= waits.question) {
      waits.question *= LATER;
      this.rejected = 0;
      if (this.neighbours.isClosed(this.genome, this.score, STATES_PER_WAIT * waits.count)) this.stick("plateau");
      return;
    }
    if (!patient) return;
    const mass = this.neighbours.acceptableMass(this.genome, this.score);
    if (mass === 0) this.stick("peak");
    else this.wait = { left: mass < 1 ? this.stream.geometric(Math.log1p(-mass)) : 0, mass };
  }

  // An evaluation of a wait: a rejected neighbour, or at its end the one that is accepted.
  stepOfWait() {
    this.evaluations += 1;
    if (this.wait.left > 0) {
      this.wait.left -= 1;
      this.offspring = {
        genome: this.neighbours.rejectedOne(this.genome, this.score),
        parent: this.genome,
        kept: false,
        void: false,
      };
      return;
    }
    // Just below the whole sum at most, whatever the rounding.
    const threshold = Math.min(this.stream.uniform(), 1 - 2 ** -40) * this.wait.mass;
    const { genome, score } = this.neighbours.acceptableAt(this.genome, this.score, threshold);
    this.wait = null;
    this.offspring = { genome, parent: this.genome, kept: true, void: false };
    this.accept(genome, score);
  }

  // End on a peak, all of whose neighbours are worse, or on a plateau without a way up.
  stick(where) {
    this.ended = "stuck";
    this.stuckOn = where;
    this.restartIfAllowed();
  }

  // The limit of evaluations is reached. A step that was drawn for later is not used.
  expire() {
    this.ended = this.horizon === this.task.budget ? "budget" : "stagnation";
    if (!this.wait && !this.pending) this.steps.next();
    this.restartIfAllowed();
  }

  restartIfAllowed() {
    const { setting, budget } = this.task;
    if (this.ended === "budget" || this.restarts >= setting.restarts || this.evaluations >= budget) return;
    this.restart();
  }

  // Go on from a new random network.
  restart() {
    this.earlier = this.best;
    this.ended = "";
    this.restarts += 1;
    this.begin();
  }

  // Up to `count` evaluations until the clock says `until`; return how many.
  advance(count, until = Infinity) {
    let done = 0;
    while (done < count && !this.ended) {
      const slice = Math.min(count - done, CLOCK_EVERY);
      for (let i = 0; i < slice && !this.ended; i += 1) {
        this.step();
        done += 1;
      }
      if (performance.now() > until) break;
    }
    return done;
  }

  // Until the fitness rises, the run ends or the clock says `until`; return whether it rose or ended.
  improve(until) {
    const before = this.history.length;
    while (!this.ended && this.history.length === before) {
      this.step();
      if (this.evaluations % CLOCK_EVERY === 0 && performance.now() > until) return false;
    }
    return true;
  }
}
