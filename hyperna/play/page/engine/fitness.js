// Scores of networks in the same integers as hyperna's, so that ties are ties here too.
import { outputOf } from "./outputs.js";

// Cosine and sine of phi/resolution of a turn, exact at multiples of a quarter and a twelfth.
export function cosSin(phi, resolution) {
  const eighths = 8 * phi;
  const octant = Math.floor(eighths / resolution);
  let step = eighths - octant * resolution;
  if (octant % 2 === 1) step = resolution - step;
  const angle = (step / resolution) * (Math.PI / 4);
  let cosine = Math.cos(angle);
  let sine = Math.sin(angle);
  if (step === resolution) cosine = sine = Math.SQRT1_2;
  if (3 * step === 2 * resolution) sine = 0.5;
  if (octant === 1 || octant === 2 || octant === 5 || octant === 6) [cosine, sine] = [sine, cosine];
  return [octant >= 2 && octant <= 5 ? 0 - cosine : cosine, octant >= 4 ? 0 - sine : sine];
}

// Unit normal and bias of a plain neuron with `size` inputs whose genes begin at `first`.
export function neuron(genome, first, size, resolution) {
  const w = new Float64Array(size);
  let product = 1;
  for (let k = 0; k < size - 1; k += 1) {
    const [cosine, sine] = cosSin(genome[first + k], resolution);
    w[k] = product * cosine;
    product *= sine;
  }
  w[size - 1] = product;
  const b = (2 * genome[first + size - 1] - resolution) / resolution;
  // On the unit sphere a neuron fires where the dot product reaches its edge.
  return { w, b, edge: b, theta: null };
}

// A bent neuron fires in a cone with its tip at b w: one more gene, the bend.
function bentNeuron(genome, first, size, resolution) {
  const found = neuron(genome, first, size, resolution);
  found.theta = (Math.PI * genome[first + size]) / resolution;
  found.edge = Math.cos(found.theta - Math.asin(found.b * Math.sin(found.theta)));
  return found;
}

export function fires({ w, b, theta }, x) {
  let dot = x[0] * w[0];
  let square = x[0] * x[0];
  for (let k = 1; k < w.length; k += 1) {
    dot += x[k] * w[k];
    square += x[k] * x[k];
  }
  if (theta === null) return dot >= b;
  return dot - b >= Math.cos(theta) * Math.sqrt(Math.max(square - 2 * b * dot + b * b, 0));
}

// All neurons of a network, and its output neuron if there is one.
export function network(task, genome) {
  const { dim, resolution } = task;
  const { neurons, output } = task.setting;
  const hidden = [];
  const make = task.setting.neuron === "bent" ? bentNeuron : neuron;
  for (let i = 0; i < neurons; i += 1) hidden.push(make(genome, i * task.width, dim, resolution));
  const last = task.evolved ? neuron(genome, neurons * task.width, neurons, resolution) : null;
  return { hidden, size: neurons, join: neurons === 1 ? "or" : output, last };
}

// The network's answer to hidden bits, given as a mask.
export function joined(net, mask) {
  if (net.last) {
    let total = 0;
    for (let i = 0; i < net.size; i += 1) if ((mask >> i) & 1) total += net.last.w[i];
    return total >= net.last.b;
  }
  let fire = 0;
  for (let rest = mask; rest; rest &= rest - 1) fire += 1;
  return outputOf(net.join)(fire, net.size);
}

export function answer(net, x) {
  let mask = 0;
  net.hidden.forEach((one, i) => {
    if (fires(one, x)) mask |= 1 << i;
  });
  return joined(net, mask);
}

// Exact arc lengths on the circle.
export class CircleFitness {
  constructor(task) {
    this.task = task;
    const { turn, starts, lengths, half_width: halfWidth } = task.fitness;
    Object.assign(this, { turn, starts, lengths, halfWidth });
    this.step = turn / task.resolution;
    this.positive = lengths.reduce((sum, length) => sum + length, 0);
    const most = 2 * task.setting.neurons;
    this.place = new Float64Array(most);
    this.owner = new Int32Array(most);
  }

  positiveUntil(x) {
    let sum = 0;
    for (let k = 0; k < this.starts.length; k += 1) {
      const inside = x - this.starts[k];
      if (inside > 0) sum += inside < this.lengths[k] ? inside : this.lengths[k];
    }
    return sum;
  }

  score(genome) {
    const { turn, place, owner, task } = this;
    const neurons = task.setting.neurons;
    const { width } = task;
    let mask = 0;
    let events = 0;
    for (let i = 0; i < neurons; i += 1) {
      const first = width * i;
      const centre = genome[first] * this.step;
      const half = this.halfWidth(genome[first + 1], genome[first + 2]);
      if (2 * half >= turn) mask |= 1 << i;
      if (2 * half >= turn || half <= 0) continue;
      let start = centre - half;
      let end = centre + half;
      if (start < 0) start += turn;
      if (end >= turn) end -= turn;
      if (end < start) mask |= 1 << i;
      for (let x = start, both = 0; both < 2; both += 1, x = end) {
        let j = events;
        for (; j > 0 && place[j - 1] > x; j -= 1) {
          place[j] = place[j - 1];
          owner[j] = owner[j - 1];
        }
        place[j] = x;
        owner[j] = 1 << i;
        events += 1;
      }
    }
    const net = {
      size: neurons,
      join: neurons === 1 ? "or" : task.setting.output,
      last: task.evolved ? neuron(genome, width * neurons, neurons, task.resolution) : null,
    };
    let right = 0;
    let before = 0;
    let positiveBefore = 0;
    for (let e = 0; e <= events; e += 1) {
      const here = e < events ? place[e] : turn;
      if (here > before) {
        const positive = e < events ? this.positiveUntil(here) : this.positive;
        const inside = positive - positiveBefore;
        right += joined(net, mask) ? inside : here - before - inside;
        before = here;
        positiveBefore = positive;
      }
      if (e < events) mask ^= owner[e];
    }
    return right;
  }
}

// The number of points with the right answer.
export class PointFitness {
  constructor(task) {
    this.task = task;
    this.X = task.fitness.X.map((row) => Float64Array.from(row));
    this.y = task.fitness.y;
  }

  score(genome) {
    const net = network(this.task, genome);
    let right = 0;
    for (let i = 0; i < this.X.length; i += 1) if (answer(net, this.X[i]) === (this.y[i] === 1)) right += 1;
    return right;
  }
}

export function fitnessOf(task) {
  return task.fitness.turn ? new CircleFitness(task) : new PointFitness(task);
}
