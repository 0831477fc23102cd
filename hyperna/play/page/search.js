// The (1+1) NA, one offspring at a time.
import { fitnessOf } from "./fitness.js";
import { Alias, Random } from "./random.js";

const LONGEST_PATH = 600;
// Offspring between two looks at the clock: on a sphere sixteen take a few milliseconds.
const CLOCK_EVERY = 16;

function stepDrawer(law, random) {
  if (law.pmf) {
    const alias = new Alias(law.pmf);
    return () => alias.draw(random) + 1;
  }
  const { scale, shape } = law;
  const draws = {
    pareto: () => scale * (random.uniform() ** (-1 / shape) - 1),
    cauchy: () => scale * Math.tan(0.5 * Math.PI * (1 - random.uniform())),
    exponential: () => -scale * Math.log(random.uniform()),
  };
  const draw = draws[law.kind];
  return (modulus) => Math.round(Math.min(draw(), 1e300)) % modulus;
}

// Whether every neuron can be given an optimal neuron of its own.
function matched(near, size) {
  const owner = Array(size).fill(-1);
  const give = (i, seen) => {
    for (let j = 0; j < size; j += 1) {
      if (!near[i][j] || seen.has(j)) continue;
      seen.add(j);
      if (owner[j] < 0 || give(owner[j], seen)) {
        owner[j] = i;
        return true;
      }
    }
    return false;
  };
  for (let i = 0; i < size; i += 1) if (!give(i, new Set())) return false;
  return true;
}

export class Search {
  constructor(task) {
    this.task = task;
    this.fitness = fitnessOf(task);
    this.random = new Random(task.setting.seed);
    this.threshold = task.probability * 2 ** 32;
    this.adaptive = "decay" in task.law;
    // Some steps of the adaptive law are harmonic.
    this.draw = this.adaptive && !task.law.pmf ? null : stepDrawer(task.law, this.random);
    this.evaluations = 0;
    this.accepted = 0;
    this.restarts = 0;
    this.best = null;
    this.ended = "";
    this.history = [];
    this.offspring = null;
    this.begin();
  }

  // A network drawn uniformly from the grid.
  begin() {
    const { moduli, zero_bias, free } = this.task;
    this.genome = moduli.map((modulus) => this.random.below(modulus));
    if (zero_bias !== null) {
      const kept = new Set(free);
      moduli.forEach((_, i) => { if (!kept.has(i)) this.genome[i] = zero_bias; });
    }
    this.lengths = moduli.map(() => 1);
    this.path = [];
    this.score = this.fitness.score(this.genome);
    this.evaluations += 1;
    this.lastRise = this.evaluations;
    this.offspring = null;
    this.took(true);
  }

  get share() {
    return this.score / this.task.units;
  }

  // Keep account of an accepted network.
  took(risen) {
    this.path.push(this.genome);
    if (this.path.length > LONGEST_PATH) this.path.splice(0, LONGEST_PATH / 3);
    if (this.best === null || this.score > this.best.score) {
      this.best = { genome: this.genome, score: this.score };
    }
    if (risen) {
      this.history.push([this.evaluations, this.share]);
      this.lastRise = this.evaluations;
    }
    if (this.solved()) this.ended = "success";
  }

  solved() {
    const { goal, dim, width, moduli, setting } = this.task;
    if (goal.score !== null) return this.score >= goal.score;
    if (this.score < goal.hopeful) return false;
    const size = setting.neurons;
    return goal.optima.some((optimum) => {
      const near = optimum.map((_, i) => optimum.map((other) => other.slice(0, dim).every((value, k) => {
        const modulus = moduli[i * width + k];
        const away = Math.abs(this.genome[i * width + k] - value);
        return Math.min(away, modulus - away) < goal.tolerance;
      })));
      return matched(near, size);
    });
  }

  // The length of a component's next steps. A jump counts only if it has improved the fitness.
  adapted(c, jump, risen) {
    const { law, moduli } = this.task, length = this.lengths[c];
    const longest = Math.max(1, Math.floor(moduli[c] / 4));
    if (jump) return risen ? Math.min(Math.max(length, jump), longest) : length;
    return risen ? Math.min(length * law.growth, longest) : Math.max(length * law.decay, 1);
  }

  // Create one offspring and keep it if it is not worse.
  step() {
    if (this.ended) return;
    const { task, random } = this, { moduli, free, setting } = task;
    let child = null;
    const changed = this.adaptive ? [] : null;
    for (let i = 0; i < free.length; i += 1) {
      // 32 bits decide: the probability is right to 2^-32.
      if (random.word() >= this.threshold) continue;
      const c = free[i], modulus = moduli[c];
      const jumps = this.adaptive && this.draw !== null && random.uniform() < task.law.jump;
      const length = this.adaptive && !jumps ? Math.floor(this.lengths[c]) : this.draw(modulus);
      const value = this.genome[c] + (random.word() & 1 ? length : -length);
      child ??= this.genome.slice();
      child[c] = ((value % modulus) + modulus) % modulus;
      if (changed) changed.push([c, jumps ? length : 0]);
    }
    this.evaluations += 1;
    const genome = child ?? this.genome;
    const score = child ? this.fitness.score(child) : this.score;
    const risen = score > this.score, kept = score >= this.score;
    if (changed) {
      for (const [c, jump] of changed) this.lengths[c] = this.adapted(c, jump, risen);
    }
    this.offspring = { genome, kept, parent: this.genome, void: child === null };
    if (kept && child) {
      this.genome = child;
      this.score = score;
      this.accepted += 1;
      this.took(risen);
    }
    if (this.ended) return;
    if (this.evaluations >= task.budget) this.ended = "budget";
    else if (setting.stagnation && this.evaluations - this.lastRise >= setting.stagnation) {
      if (this.restarts < setting.restarts) {
        this.restarts += 1;
        this.begin();
      } else this.ended = "stagnation";
    }
  }

  // Create up to `count` offspring until the clock says `until`; return how many.
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
