// The path of rules: the fewest errors that were found with each number of terms.
import { Stream } from "../engine/random.js";
import { evolve, randomNetwork } from "./evolve.js";
import { holds, readable } from "./readable.js";

// How many neurons are joined how.
const SHAPES = [
  ["and", 1],
  ["and", 2],
  ["or", 2],
  ["and", 3],
  ["or", 3],
  ["two", 3],
  ["xor", 2],
];
const STARTS = 4;
const OFFSPRING = 8000;
// What a term costs, in quarters of an error, from nothing to eight errors. Each search begins where the last ended.
const TERM_COSTS = [0, 2, 4, 8, 16, 32];

// Features with mean 0, all in the unit ball.
function scale(points) {
  const features = points[0].length - 1;
  const columns = Array.from({ length: features }, (_, j) => Float64Array.from(points, (point) => point[j]));
  const scaling = columns.map((column) => {
    const mean = column.reduce((sum, value) => sum + value, 0) / column.length;
    const variance = column.reduce((sum, value) => sum + (value - mean) ** 2, 0) / column.length;
    return { mean, deviation: Math.sqrt(variance) || 1 };
  });
  const centred = columns.map((column, j) => column.map((value) => (value - scaling[j].mean) / scaling[j].deviation));
  let radius = 0;
  points.forEach((_, p) => {
    radius = Math.max(radius, Math.hypot(...centred.map((column) => column[p])));
  });
  radius = radius || 1;
  return {
    data: {
      columns: centred.map((column) => column.map((value) => value / radius)),
      labels: points.map((point) => point[features]),
    },
    scaling: scaling.map(({ mean, deviation }) => ({ mean, factor: 1 / (deviation * radius) })),
  };
}

// The answer that is right for most points, without any term.
function constantRule(points) {
  const positive = points.filter((point) => point.at(-1) === 1).length;
  const yes = 2 * positive >= points.length;
  return { terms: 0, errors: yes ? points.length - positive : positive, quorum: yes ? 0 : 1, conditions: [] };
}

// Rules with more and more terms, each with fewer errors than the ones before.
function front(best) {
  const path = [];
  for (const rule of [...best.values()].sort((a, b) => a.terms - b.terms)) {
    if (!path.length || rule.errors < path.at(-1).errors) path.push(rule);
  }
  return path;
}

// Search for the path; yields { share (of the work done), path } again and again.
export function* searchPath(points, seed) {
  const { data, scaling } = scale(points);
  const stream = new Stream(seed);
  const best = new Map([[0, constantRule(points)]]);
  const found = (network, errors, terms) => {
    if (errors >= (best.get(terms)?.errors ?? Infinity)) return;
    // The errors of the rule that is shown, which may differ from the network's on a point on a border.
    const rule = readable(network, scaling, points);
    rule.errors = points.filter((point) => holds(rule, point) !== (point.at(-1) === 1)).length;
    if (rule.errors < (best.get(terms)?.errors ?? Infinity)) best.set(terms, rule);
  };
  const all = STARTS * SHAPES.length * TERM_COSTS.length;
  let done = 0;
  for (let start = 0; start < STARTS; start += 1) {
    for (const [join, size] of SHAPES) {
      let network = randomNetwork(data, join, size, stream);
      for (const termCost of TERM_COSTS) {
        network = evolve(network, { termCost, offspring: OFFSPRING, stream, found });
        done += 1;
        yield { share: done / all, path: front(best) };
      }
    }
  }
}

// Bits that tell somebody the labels: the rule, and which points are exceptions to it.
//
// A coefficient names one of D features and has the precision that n points give, a threshold has that precision.
export function descriptionLength({ terms, errors, conditions }, points) {
  const n = points.length;
  const features = points[0].length - 1;
  const p = errors / n;
  const entropy = p === 0 || p === 1 ? 0 : -(p * Math.log2(p) + (1 - p) * Math.log2(1 - p));
  const precision = 0.5 * Math.log2(n);
  return n * entropy + terms * (Math.log2(features) + precision) + conditions.length * precision;
}

// The rule of a path with the shortest description.
export function shortestRule(path, points) {
  const bits = path.map((rule) => descriptionLength(rule, points));
  return bits.indexOf(Math.min(...bits));
}
