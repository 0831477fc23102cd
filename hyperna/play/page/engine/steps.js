// Steps of mutation, drawn some at a time: which components change, and by how much.
//
// This is hyperna/_kernels/steps.py and lengths.py: the same numbers in the same order.
import { AliasTable, normalised, rint } from "./tables.js";

// Up to this many components there is a table of all sets of them.
const LARGEST_SUBSET_TABLE = 8;
// Void steps in a row that the table of choices tells apart.
const VOID_LEVELS = 8;
const FEWEST_STEPS = 8;
const MOST_STEPS = 64;
const BLOCKS_PER_OCTAVE = 16;
const LOG_BLOCKS = 4;

function countOnes(pattern) {
  let count = 0;
  for (let rest = pattern; rest; rest &= rest - 1) count += 1;
  return count;
}

// log(n!)
function logFactorial(n) {
  let sum = 0;
  for (let i = 2; i <= n; i += 1) sum += Math.log(i);
  return sum;
}

// Weights of what may change: sets of components, or their number where there are many.
function choiceWeights(size, probability) {
  if (size <= LARGEST_SUBSET_TABLE) {
    return Float64Array.from({ length: 2 ** size }, (_, pattern) => {
      const count = countOnes(pattern);
      return count ? probability ** count * (1 - probability) ** (size - count) : 0;
    });
  }
  const weights = Array.from({ length: size + 1 }, (_, count) => {
    if (count === 0) return 0;
    const logChoose = logFactorial(size) - logFactorial(count) - logFactorial(size - count);
    return Math.exp(logChoose + count * Math.log(probability) + (size - count) * Math.log1p(-probability));
  });
  const heaviest = Math.max(...weights);
  let last = size;
  while (weights[last] <= 1e-30 * heaviest) last -= 1;
  const codes = 2 ** (32 - Math.clz32(last));
  return Float64Array.from({ length: codes }, (_, count) => weights[count] ?? 0);
}

export class Steps {
  // `law` as hyperna.play tells it; `free` are the components that may change.
  constructor({ law, free, moduli, probability }, stream) {
    Object.assign(this, { law, free, moduli, stream });
    const size = free.length;
    const choice = choiceWeights(size, probability);
    const stay = (1 - probability) ** size;
    const share = normalised(choice);
    const weights = new Float64Array(VOID_LEVELS * choice.length);
    for (let level = 0; level < VOID_LEVELS; level += 1) {
      const wait = level === VOID_LEVELS - 1 ? stay ** level : stay ** level * (1 - stay);
      share.forEach((part, code) => {
        weights[level * choice.length + code] = wait * part;
      });
    }
    this.choices = new AliasTable(weights);
    this.choiceCodes = choice.length;
    this.voidLog = size * Math.log1p(-probability);
    this.listed = size > LARGEST_SUBSET_TABLE;
    if (law.weights) this.lengths = new AliasTable(law.weights);
    this.adapts = law.kind === "adaptive";
    // Steps drawn ahead: evaluations up to and with each, and what changes by how much.
    this.totals = [];
    this.changes = [];
    this.place = 0;
    this.wanted = FEWEST_STEPS;
    this.restart();
  }

  // Begin with short steps again, where their lengths follow success.
  restart() {
    this.velocity = this.moduli.map(() => 1);
  }

  // The next step: how many void steps come before it, and its changes.
  next() {
    if (this.place === this.changes.length) this.draw();
    const { place } = this;
    const before = place ? this.totals[place - 1] : 0;
    this.place += 1;
    return { voids: this.totals[place] - before - 1, changes: this.changes[place] };
  }

  draw() {
    const { wanted, free } = this;
    const sets = this.drawSets(wanted);
    this.changes = sets.map((set) => {
      if (this.listed) return this.drawSubset(set).map((component) => ({ component, move: 0, jump: false }));
      const found = [];
      for (let t = 0; t < free.length; t += 1) {
        if ((set >> t) & 1) found.push({ component: free[t], move: 0, jump: false });
      }
      return found;
    });
    for (const changes of this.changes) for (const change of changes) this.drawMove(change);
    this.place = 0;
    this.wanted = Math.min(2 * wanted, MOST_STEPS);
  }

  // What changes in each step; writes after how many evaluations.
  drawSets(wanted) {
    const { stream, choiceCodes } = this;
    const sets = [];
    this.totals = [];
    for (let i = 0; i < wanted; i += 1) {
      stream.next();
      const entry = this.choices.pick(stream);
      sets.push(entry % choiceCodes);
      this.totals.push(Math.floor(entry / choiceCodes) + 1);
    }
    for (let i = 0; i < wanted; i += 1) {
      if (this.totals[i] === VOID_LEVELS) this.totals[i] += stream.geometric(this.voidLog);
    }
    for (let i = 1; i < wanted; i += 1) this.totals[i] += this.totals[i - 1];
    return sets;
  }

  // So many random components (Floyd's algorithm).
  drawSubset(count) {
    const { free, stream } = this;
    const found = [];
    for (let filled = 0; filled < count; filled += 1) {
      const top = free.length - count + filled;
      const candidate = free[Math.floor(stream.uniform() * (top + 1))];
      found.push(found.includes(candidate) ? free[top] : candidate);
    }
    return found;
  }

  drawMove(change) {
    const { law, stream } = this;
    const signed = (length, odd) => (odd ? -length : length);
    if (law.kind === "constant" || law.kind === "table") {
      stream.next();
      const odd = stream.low & 1;
      change.move = signed(law.kind === "table" ? 1 + this.lengths.pick(stream) : 1, odd);
    } else if (law.kind === "blocks") {
      stream.next();
      const odd = stream.low & 1;
      change.move = signed(this.blockLength(), odd);
    } else if (law.kind === "adaptive") {
      stream.next();
      const odd = stream.low & 1;
      change.jump = stream.fraction() < law.jump;
      if (change.jump) stream.next();
      change.move = signed(change.jump ? this.blockLength() : 1, odd);
    } else {
      const length = this.drawLength(change.component);
      change.move = stream.uniform() < 0.5 ? length : -length;
    }
  }

  drawLength(component) {
    const { law, stream } = this;
    if (law.kind === "uniform") return stream.below(law.largest) + 1;
    const u = stream.uniform() + 2 ** -53;
    let real = -law.scale * Math.log(u);
    if (law.kind === "pareto") {
      const steep = law.exponent >= 1e6; // the power would be rounded to 1
      real = law.scale * (steep ? Math.expm1(-Math.log(u) / law.exponent) : u ** (-1 / law.exponent) - 1);
    }
    if (law.kind === "cauchy") real = law.scale * Math.tan(0.5 * Math.PI * (1 - u));
    // longer ones are no exact integers, and end anywhere
    const modulus = this.moduli[component];
    return real < 2 ** 53 ? rint(real) % modulus : stream.below(modulus);
  }

  // A length of a power law in blocks, of which the latest word gives the first.
  //
  // Block i begins at i for i < 16; from there on every octave has 16 blocks of equal size. A length is uniform in
  // its block, and kept with the ratio of the law's value there to that at the block's beginning.
  blockLength() {
    const { law, stream } = this;
    for (;;) {
      const block = this.lengths.pick(stream);
      const logSize = Math.max((block >> LOG_BLOCKS) - 1, 0);
      const first = (block - (logSize << LOG_BLOCKS)) * 2 ** logSize;
      stream.next();
      const length = first + lowBits(stream, logSize);
      let chance = stream.uniform();
      if (law.exponent !== 1) chance **= 1 / law.exponent;
      if (length <= law.largest && chance * length < first) return length;
      stream.next();
    }
  }

  // Fill in how far a self-adjusting step goes, as if it were in vain: the next one will be shorter.
  completeSteps(changes) {
    if (!this.adapts) return;
    for (const change of changes) {
      change.velocity = this.velocity[change.component];
      if (change.jump) continue;
      const length = Math.floor(change.velocity);
      change.move = change.move > 0 ? length : -length;
      this.velocity[change.component] = Math.max(change.velocity * this.law.decay, 1);
    }
  }

  // Longer steps after an improvement (Doerr, Doerr and Kötzing 2018); a jump sets the length if it is longer.
  updateLaw(changes) {
    if (!this.adapts) return;
    for (const { component, move, jump, velocity } of changes) {
      const longest = Math.max(1, Math.floor(this.moduli[component] / 4));
      const grown = jump ? Math.max(velocity, Math.abs(move)) : velocity * this.law.growth;
      this.velocity[component] = Math.min(grown, longest);
    }
  }
}

// The lowest `count` bits of the latest word.
function lowBits(stream, count) {
  if (count <= 32) return count === 32 ? stream.low : stream.low & ((1 << count) - 1);
  return (stream.high & ((1 << (count - 32)) - 1)) * 4294967296 + stream.low;
}

// Weights of the blocks of a power law on 1 .. largest.
export function blockWeights(largest, exponent) {
  // Lengths below 16 have a block each, every octave from there on has 16 blocks.
  const octaves = Math.max(0, Math.floor(Math.log2(largest)) + 1 - LOG_BLOCKS);
  return Float64Array.from({ length: BLOCKS_PER_OCTAVE * (1 + octaves) }, (_, block) => {
    const logSize = Math.max(Math.floor(block / BLOCKS_PER_OCTAVE) - 1, 0);
    const mantissa = block < BLOCKS_PER_OCTAVE ? block : (block % BLOCKS_PER_OCTAVE) + BLOCKS_PER_OCTAVE;
    const first = mantissa * 2 ** logSize;
    return first >= 1 && first <= largest ? 2 ** logSize * first ** -exponent : 0;
  });
}
