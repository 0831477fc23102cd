// The neighbours of a network under local steps: this is hyperna/_kernels/waiting.py and hyperna/run/plateaus.py.
//
// The chance that a local step is accepted stays the same until one is. So how long that takes is drawn at once, and
// a network on a plateau without a way out is known to be stuck.

// Largest neighbourhood (3^components networks) that is searched for a way out.
const LARGEST = 3 ** 8;
// Larger plateaus are not searched.
const MOST_STATES = 20000;

export class Neighbours {
  static suit({ law, free }) {
    return law.kind === "constant" && 3 ** free.length <= LARGEST;
  }

  constructor(task, fitness, isSuccess) {
    Object.assign(this, { task, fitness, isSuccess });
    const { free, probability } = task;
    const size = free.length;
    this.count = 3 ** size;
    // The digits of a neighbour's number say for each component: as it is, plus one, minus one.
    this.chance = new Float64Array(this.count);
    for (let number = 1; number < this.count; number += 1) {
      let changed = 0;
      for (let rest = number; rest; rest = Math.floor(rest / 3)) changed += rest % 3 ? 1 : 0;
      this.chance[number] = (0.5 * probability) ** changed * (1 - probability) ** (size - changed);
    }
    // Plateaus that have been searched, by their networks: how many they have, 0 for those with a way out.
    this.known = new Map();
    this.shown = 1;
  }

  neighbour(genome, number) {
    const { free, moduli } = this.task;
    const found = genome.slice();
    for (let rest = number, t = 0; rest; rest = Math.floor(rest / 3), t += 1) {
      const c = free[t];
      const digit = rest % 3;
      if (digit === 1) found[c] = (found[c] + 1) % moduli[c];
      if (digit === 2) found[c] = (found[c] + moduli[c] - 1) % moduli[c];
    }
    return found;
  }

  // The chance that one step leads to a neighbour that is not worse.
  acceptableMass(genome, score) {
    let mass = 0;
    for (let number = 1; number < this.count; number += 1) {
      if (this.fitness.score(this.neighbour(genome, number)) >= score) mass += this.chance[number];
    }
    return mass;
  }

  // The neighbour that is not worse whose chance lifts the sum of chances above a threshold.
  acceptableAt(genome, score, threshold) {
    let mass = 0;
    for (let number = 1; number < this.count; number += 1) {
      const found = this.neighbour(genome, number);
      const other = this.fitness.score(found);
      if (other >= score) mass += this.chance[number];
      if (mass > threshold) return { genome: found, score: other };
    }
    throw new Error("no neighbour is acceptable");
  }

  // A neighbour that is worse, for the eye: one after the other.
  rejectedOne(genome, score) {
    for (let tries = 0; tries < this.count; tries += 1) {
      this.shown = (this.shown % (this.count - 1)) + 1;
      const found = this.neighbour(genome, this.shown);
      if (this.fitness.score(found) < score) return found;
    }
    return genome;
  }

  // Whether local steps never lead from a network to a better one or to success; false if its plateau is too large.
  isClosed(genome, score, wanted) {
    const key = genome.join();
    const most = Math.min(wanted, MOST_STATES);
    if (!this.known.has(key)) {
      const { reached, closed } = this.explore(genome, score, most);
      if (closed === null) return false;
      for (const other of reached) this.known.set(other, closed ? reached.size : 0);
    }
    // An earlier start may have searched further than this one would.
    const size = this.known.get(key);
    return size > 0 && size <= most;
  }

  // The equally fit networks that have been reached, and whether these are all; null if they are more than `most`.
  explore(genome, score, most) {
    let reached = new Set([genome.join()]);
    let frontier = [genome];
    while (frontier.length) {
      const found = new Map();
      for (const from of frontier) {
        for (let number = 1; number < this.count; number += 1) {
          const other = this.neighbour(from, number);
          const key = other.join();
          if (reached.has(key) || found.has(key)) continue;
          const value = this.fitness.score(other);
          if (value > score || (value === score && this.isSuccess(other, value))) return { reached, closed: false };
          if (value === score) found.set(key, other);
        }
      }
      reached = new Set([...reached, ...found.keys()]);
      if (reached.size > most) return { reached, closed: null };
      frontier = [...found.values()];
    }
    return { reached, closed: true };
  }
}
