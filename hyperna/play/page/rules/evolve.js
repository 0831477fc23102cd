// Evolution of a rule: a few half-spaces whose cost is their errors plus the cost of their terms.
//
// A term is a coefficient that is not 0. Four moves, one neuron at a time: a step of the threshold, a rotation in the
// plane of two features, such a rotation that ends where a coefficient is 0, and the loss of a neuron. An offspring is
// kept if it costs no more. Costs are whole numbers, so that equal is equal.

export const ERROR_COST = 4; // a term may cost a quarter of an error
const SMALLEST_STEP = 1e-4;
// Shares of the moves; the rest are rotations. There are fewer points and offspring than in Python, so that neurons are lost
// more often.
const THRESHOLD_MOVES = 0.3;
const ZEROING_MOVES = 0.25;
const LOSS_MOVES = 0.02;

// How the answers of the neurons are joined: the network's answer to how many of `size` fire.
export const JOINS = {
  and: (fire, size) => fire === size,
  or: (fire) => fire > 0,
  two: (fire) => fire >= 2,
  xor: (fire) => fire % 2 === 1,
};

// A network on labelled points: `columns` are the features, each an array over the points.
export class RuleNetwork {
  constructor({ columns, labels }, join, neurons) {
    Object.assign(this, { columns, labels, join, neurons });
  }

  get terms() {
    return this.neurons.reduce((sum, neuron) => sum + termsOf(neuron), 0);
  }

  dots({ w }) {
    const found = new Float64Array(this.labels.length);
    this.columns.forEach((column, j) => {
      if (w[j] !== 0) for (let p = 0; p < found.length; p += 1) found[p] += w[j] * column[p];
    });
    return found;
  }

  copy() {
    return new RuleNetwork(
      this,
      this.join,
      this.neurons.map(({ w, t }) => ({ w: [...w], t })),
    );
  }
}

// Random half-spaces through random points.
export function randomNetwork(data, join, size, stream) {
  const { columns, labels } = data;
  const neurons = Array.from({ length: size }, () => {
    const angles = columns.map(() => normal(stream));
    const length = Math.hypot(...angles);
    const w = angles.map((value) => value / length);
    const point = stream.below(labels.length);
    return { w, t: columns.reduce((sum, column, j) => sum + column[point] * w[j], 0) };
  });
  return new RuleNetwork(data, join, neurons);
}

// A standard normal number (Box and Muller).
function normal(stream) {
  return Math.sqrt(-2 * Math.log(stream.uniform() + 2 ** -53)) * Math.cos(2 * Math.PI * stream.uniform());
}

// What a network answers on each point, and how it changes when a neuron does.
class Answers {
  constructor(network) {
    const { neurons, labels, join } = network;
    const points = labels.length;
    Object.assign(this, { labels, join });
    this.dots = neurons.map((neuron) => network.dots(neuron));
    this.fires = neurons.map(({ t }, i) => Uint8Array.from(this.dots[i], (dot) => (dot >= t ? 1 : 0)));
    this.count = new Uint8Array(points); // neurons that fire on each point
    for (const bits of this.fires) for (let p = 0; p < points; p += 1) this.count[p] += bits[p];
    this.size = neurons.length;
    // The network's answer to each number of firing neurons, for each number of neurons.
    this.tables = Array.from({ length: this.size + 1 }, (_, size) =>
      Uint8Array.from({ length: size + 1 }, (__, fire) => (JOINS[join](fire, size) ? 1 : 0)),
    );
    this.errors = this.errorsOf(this.count, this.size, points);
    // Room for an offspring.
    this.movedDots = new Float64Array(points);
    this.movedFires = new Uint8Array(points);
    this.movedCount = new Uint8Array(points);
  }

  // Points with a wrong answer; more than `most` need not be counted.
  errorsOf(count, size, most) {
    const { labels } = this;
    const answer = this.tables[size];
    let wrong = 0;
    for (let p = 0; p < labels.length && wrong <= most; p += 1) if (answer[count[p]] !== labels[p]) wrong += 1;
    return wrong;
  }

  // Errors if neuron i had the dot products in `movedDots` and this threshold.
  errorsMoved(i, threshold, most) {
    const { movedDots, movedFires, movedCount, count } = this;
    const bits = this.fires[i];
    for (let p = 0; p < count.length; p += 1) {
      movedFires[p] = movedDots[p] >= threshold ? 1 : 0;
      movedCount[p] = count[p] - bits[p] + movedFires[p];
    }
    return this.errorsOf(movedCount, this.size, most);
  }

  // Errors if neuron i were not there.
  errorsWithout(i, most) {
    const { movedCount, count } = this;
    const bits = this.fires[i];
    for (let p = 0; p < count.length; p += 1) movedCount[p] = count[p] - bits[p];
    return this.errorsOf(movedCount, this.size - 1, most);
  }

  keepMoved(i, errors) {
    this.errors = errors;
    [this.count, this.movedCount] = [this.movedCount, this.count];
    [this.fires[i], this.movedFires] = [this.movedFires, this.fires[i]];
    [this.dots[i], this.movedDots] = [this.movedDots, this.dots[i]];
  }

  keepWithout(i, errors) {
    this.errors = errors;
    [this.count, this.movedCount] = [this.movedCount, this.count];
    this.fires.splice(i, 1);
    this.dots.splice(i, 1);
    this.size -= 1;
  }
}

const termsOf = ({ w }) => w.reduce((sum, value) => sum + (value === 0 ? 0 : 1), 0);

// Evolve a network for so many offspring at a cost of a term.
//
// `found(network, errors, terms)` hears of every accepted one.
export function evolve(start, { termCost, offspring, stream, found }) {
  const network = start.copy();
  const { neurons, columns } = network;
  const answers = new Answers(network);
  let { terms } = network;
  const fewest = network.join === "two" ? 2 : 1;
  // The most errors that a network with so many terms more may have to be kept.
  const allowed = (more) => answers.errors - Math.ceil((termCost * more) / ERROR_COST);
  found(network, answers.errors, terms);
  for (let step = 0; step < offspring; step += 1) {
    const i = stream.below(neurons.length);
    const neuron = neurons[i];
    const kind = stream.uniform();
    // Many sizes of steps are equally likely, from the smallest to the whole range.
    const size = SMALLEST_STEP ** stream.uniform() * (stream.uniform() < 0.5 ? 1 : -1);
    let more = 0,
      errors;
    if (kind < LOSS_MOVES) {
      if (neurons.length === fewest) continue;
      more = -termsOf(neuron);
      errors = answers.errorsWithout(i, allowed(more));
      if (errors > allowed(more)) continue;
      neurons.splice(i, 1);
      answers.keepWithout(i, errors);
    } else if (columns.length === 1 || kind < LOSS_MOVES + THRESHOLD_MOVES) {
      const threshold = neuron.t + 2 * size;
      if (Math.abs(threshold) > 1) continue;
      answers.movedDots.set(answers.dots[i]);
      errors = answers.errorsMoved(i, threshold, allowed(0));
      if (errors > allowed(0)) continue;
      neuron.t = threshold;
      answers.keepMoved(i, errors);
    } else {
      const { w } = neuron;
      const j = stream.below(columns.length);
      const other = stream.below(columns.length - 1);
      const k = other < j ? other : other + 1;
      if (w[j] === 0 && w[k] === 0) continue;
      const [a, b] =
        kind < LOSS_MOVES + THRESHOLD_MOVES + ZEROING_MOVES ? zeroed(w[j], w[k]) : rotated(w[j], w[k], Math.PI * size);
      more = (a !== 0) + (b !== 0) - (w[j] !== 0) - (w[k] !== 0);
      if (allowed(more) < 0) continue;
      const before = answers.dots[i];
      const after = answers.movedDots;
      const u = a - w[j];
      const v = b - w[k];
      const first = columns[j];
      const second = columns[k];
      for (let p = 0; p < after.length; p += 1) after[p] = before[p] + u * first[p] + v * second[p];
      errors = answers.errorsMoved(i, neuron.t, allowed(more));
      if (errors > allowed(more)) continue;
      w[j] = a;
      w[k] = b;
      answers.keepMoved(i, errors);
    }
    terms += more;
    found(network, errors, terms);
  }
  return network;
}

// The rotation that ends where the first of two coefficients is 0.
const zeroed = (u, v) => [0, (v < 0 ? -1 : 1) * Math.hypot(u, v)];

function rotated(u, v, angle) {
  const c = Math.cos(angle);
  const s = Math.sin(angle);
  return [u * c - v * s, u * s + v * c];
}
