// From a setting to a task: everything that a run needs but its seed, in the same exact integers as hyperna's.
//
// `facts` is what hyperna.play tells the page about problems, laws and the ranges of settings.
import { mergeArcs } from "./arcs.js";
import { halfWidths } from "./widths.js";
import { lawData, readLaw } from "./laws.js";
import { goalOf } from "./success.js";

const LARGEST_TURN = 2 ** 52;
const FINEST_RESOLUTION = 2 ** 40;
const GOLDEN = (Math.sqrt(5) - 1) / 2;
const TAU = 2 * Math.PI;

const gcd = (a, b) => (b ? gcd(b, a % b) : a);
const sum = (values) => values.reduce((total, value) => total + value, 0);
const lcm = (a, b) => (a / gcd(a, b)) * b;

// ---- problems

// Arcs, or points with labels.
function problemOf(setting, facts) {
  const { problem, dim } = setting;
  if (problem === "points") {
    if (!setting.points.length) throw new Error("points must hold at least one point, got none");
    return {
      dim: 2,
      X: setting.points.map(([x, y]) => [x, y]),
      y: setting.points.map(([, , label]) => (label > 0 ? 1 : 0)),
    };
  }
  if (problem === "cube") return cube(dim);
  if (problem === "custom_arcs") {
    if (!setting.arcs.length) throw new Error("arcs must hold at least one arc, got none");
    return { dim, whole: 360, arcs: mergeArcs(setting.arcs, 360) };
  }
  if (problem === "arcs") {
    const { k } = setting;
    return {
      dim,
      whole: 4 * k,
      arcs: Array.from({ length: k }, (_, j) => [4 * j, 4 * j + 2]),
      bestCap: facts.best_caps[`arcs:k=${k}`],
    };
  }
  const { arcs, whole } = facts.problems[problem];
  return { dim, whole, arcs, bestCap: facts.best_caps[problem] };
}

// Corners of a cube on the unit sphere, positive if an odd number of coordinates is.
function cube(dim) {
  const X = [];
  const y = [];
  for (let corner = 0; corner < 2 ** dim; corner += 1) {
    const ones = Array.from({ length: dim }, (_, j) => (corner >> (dim - 1 - j)) & 1);
    X.push(ones.map((one) => (2 * one - 1) / Math.sqrt(dim)));
    y.push(ones.reduce((sum, one) => sum + one, 0) % 2);
  }
  return { dim, X, y, cube: true };
}

// Evenly spread points of the sphere (the Fibonacci lattice around the first axis), labelled by the arcs.
function spherePoints({ arcs, whole }, count) {
  const X = [];
  const y = [];
  for (let i = 0; i < count; i += 1) {
    const first = (2 * (i + 0.5)) / count - 1;
    const radius = Math.sqrt((1 - first) * (1 + first));
    const angle = TAU * (((i + 0.5) * GOLDEN) % 1);
    const point = [first, radius * Math.cos(angle), radius * Math.sin(angle)];
    const length = Math.hypot(...point);
    X.push(point.map((value) => value / length));
    const turns = Math.atan2(point[2], point[1]) / TAU;
    const place = (turns < 0 ? turns + 1 : turns) * whole;
    y.push(arcs.some(([start, end]) => (place >= start && place <= end) || place + whole <= end) ? 1 : 0);
  }
  return { X, y };
}

// ---- the grid

function gridOf(setting, law) {
  const { neurons, neuron, output } = setting;
  const dim = setting.problem === "points" ? 2 : setting.dim;
  // Real-valued steps need the finest grid there is.
  const unit = law.continuous ? 2 ** Math.floor(Math.log2(Math.floor(FINEST_RESOLUTION / setting.resolution))) : 1;
  const resolution = setting.resolution * unit;
  const width = dim + (neuron === "bent" ? 1 : 0);
  const moduli = [];
  const biases = [];
  const add = (inputs, bent) => {
    for (let k = 0; k < inputs - 1; k += 1) moduli.push(resolution);
    biases.push(moduli.length);
    moduli.push(resolution + 1);
    if (bent) moduli.push(resolution);
  };
  for (let i = 0; i < neurons; i += 1) add(dim, neuron === "bent");
  const evolved = output === "evolved" && neurons > 1;
  if (evolved) add(neurons, false);
  if (!setting.bias && resolution % 2)
    throw new Error(`resolution must be even where biases are fixed at 0, got ${setting.resolution}`);
  const fixed = new Set(setting.bias ? [] : biases);
  return {
    dim,
    width,
    resolution,
    unit,
    moduli,
    evolved,
    free: moduli.map((_, c) => c).filter((c) => !fixed.has(c)),
    zero_bias: setting.bias ? null : resolution / 2,
    probability: 1 / moduli.length,
  };
}

// ---- fitness

// Units of one turn: a whole number for each angle of the grid and, if there is room, for the ends of the arcs.
function unitsOfTurn({ arcs, whole }, resolution) {
  const most = Math.floor(LARGEST_TURN / resolution);
  let multiple = 24;
  for (const end of arcs.flat()) {
    multiple = lcm(multiple, whole / gcd(whole, end));
    if (multiple > most) {
      multiple = 24;
      break;
    }
  }
  return resolution * (Math.floor(most / multiple) * multiple);
}

// A place on the circle in units; one that is not whole is rounded half to even.
function inUnits(place, whole, turn) {
  const parts = BigInt(whole);
  const product = BigInt(place) * BigInt(turn);
  let units = product / parts;
  const twice = 2n * (product % parts);
  if (twice > parts || (twice === parts && units % 2n === 1n)) units += 1n;
  return Number(units);
}

function arcsInUnits({ arcs, whole }, turn) {
  const pieces = arcs.flatMap(([start, end]) => {
    const [first, last] = [start, end].map((place) => inUnits(place, whole, turn));
    return [
      [first, Math.min(last, turn)],
      [0, last - turn],
    ];
  });
  const kept = pieces.filter(([first, last]) => first < last).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  return { starts: kept.map(([first]) => first), lengths: kept.map(([first, last]) => last - first) };
}

// ---- the whole

// `given` is the law where this page cannot compute it by itself.
export function taskOf(setting, facts, given = null) {
  const law = readLaw(setting.mutation, facts.laws);
  const problem = problemOf(setting, facts);
  const grid = gridOf(setting, law);
  const steps = lawData(law, setting.resolution, grid.unit) ?? given;
  if (!steps) throw new Error(`mutation ${law.name} needs hyperna play on this computer`);
  const { resolution } = setting;
  const fitness = { arcs: problem.arcs ? problem.arcs.map((arc) => arc.map((end) => end / problem.whole)) : [] };
  let units, positive;
  if (problem.arcs && grid.dim === 2) {
    units = unitsOfTurn(problem, grid.resolution);
    Object.assign(fitness, {
      turn: units,
      ...arcsInUnits(problem, units),
      half_width: halfWidths(setting.neuron, grid.resolution, units),
    });
    positive = sum(fitness.lengths);
  } else {
    const { X, y } = problem.X ? problem : spherePoints(problem, facts.sphere_points);
    units = X.length;
    positive = sum(y);
    Object.assign(fitness, { X, y });
  }
  return {
    setting,
    ...grid,
    budget: Math.floor(100 * resolution * Math.log(resolution)),
    units,
    law: steps,
    fitness,
    goal: goalOf({ problem, setting, grid, units, positive }),
    // All states of one neuron can be drawn.
    landscape:
      problem.arcs &&
      grid.dim === 2 &&
      setting.neurons === 1 &&
      setting.bias &&
      setting.neuron === "plain" &&
      resolution <= facts.largest_landscape,
  };
}
