// Mutation laws by their names: this is hyperna/mutation.py. Whether the page knows a law is asked here (`knowsLaw`);
// the words of app/words.js may be left out.
import { blockWeights } from "./steps.js";
import { normalised } from "./tables.js";

// Up to this resolution a power law is given by a table of all lengths.
const LARGEST_POWER_TABLE = 2048;

function powerLaw(resolution, exponent) {
  if (resolution <= LARGEST_POWER_TABLE) {
    const weights = Float64Array.from({ length: resolution }, (_, i) =>
      exponent === 1 ? 1 / (i + 1) : (i + 1) ** -exponent,
    );
    return { kind: "table", largest: resolution, weights: normalised(weights) };
  }
  if (exponent === 0) return { kind: "uniform", largest: resolution };
  return { kind: "blocks", largest: resolution, exponent, weights: blockWeights(resolution, exponent) };
}

// A continuous law most of whose steps would be rounded to nothing is refused.
function checkFine(median, resolution, unit, name) {
  if (median * unit < 1) {
    throw new Error(
      `mutation must have a median step of at least ${1 / unit} grid steps at resolution ${resolution}, ` +
        `got ${name} with ${median}`,
    );
  }
}

const LAWS = {
  harmonic: (_, r) => powerLaw(r, 1),
  power_law: ({ exponent }, r) => powerLaw(r, exponent),
  local: (_, r) => ({ kind: "constant", largest: r }),
  uniform: (_, r) => ({ kind: "uniform", largest: r }),
  pareto: ({ shape, scale }, r, unit) => {
    checkFine(scale * Math.expm1(Math.min(Math.log(2) / shape, 700)), r, unit, "pareto");
    return { kind: "pareto", largest: r * unit, exponent: shape, scale: scale * unit };
  },
  cauchy: ({ scale }, r, unit) => {
    checkFine(scale, r, unit, "cauchy");
    return { kind: "cauchy", largest: r * unit, scale: scale * unit };
  },
  exponential: ({ scale }, r, unit) => {
    checkFine(scale * Math.log(2), r, unit, "exponential");
    return { kind: "exponential", largest: r * unit, scale: scale * unit };
  },
  adaptive: ({ growth, decay, jump }, r) => ({
    kind: "adaptive",
    largest: r,
    exponent: 1,
    weights: blockWeights(r, 1),
    growth,
    decay,
    jump,
  }),
};

// Name and parameters of a law as in "pareto:shape=1.5"; `known` tells the parameters and their defaults.
export function readLaw(text, known) {
  const [name, rest = ""] = text.split(/:(.*)/s);
  if (!Object.hasOwn(known, name))
    throw new Error(`mutation must be one of ${Object.keys(known).join(", ")}, got “${text.slice(0, 40)}”`);
  const parameters = { ...known[name].parameters };
  for (const part of rest ? rest.split(",") : []) {
    const [key, value] = part.split("=").map((word) => word.trim());
    if (!Object.hasOwn(parameters, key)) throw new Error(`mutation ${name} has no parameter “${key}”`);
    if (value === undefined || value === "" || !Number.isFinite(Number(value))) {
      throw new Error(`${key} of ${name} must be a number, got “${value ?? ""}”`);
    }
    parameters[key] = Number(value);
    checkParameter(name, key, parameters[key]);
  }
  return { name, parameters, continuous: known[name].continuous };
}

// What a parameter must be above or at least, and below or at most.
const RANGES = {
  exponent: (v) => v >= 0 && v <= 100,
  shape: (v) => v >= 0.01,
  growth: (v) => v > 1 && v <= 1e6,
  decay: (v) => v > 0 && v < 1,
  jump: (v) => v >= 0 && v <= 1,
};

function checkParameter(name, key, value) {
  const good = (RANGES[key] ?? ((v) => v > 0))(value);
  if (!good) throw new Error(`${key} of ${name} is out of its range, got ${value}`);
}

// Whether this page computes a law by itself, given as in "pareto" or "pareto:shape=1.5".
export const knowsLaw = (text) => Object.hasOwn(LAWS, text.split(":")[0]);

// A law as steps are drawn from it; a step of length 1 is `unit` grid units. Null if this page does not know it.
export function lawData({ name, parameters }, resolution, unit) {
  return knowsLaw(name) ? LAWS[name](parameters, resolution, unit) : null;
}

// Whether steps of all lengths are drawn, so that every network can be made from every other one by a single mutation.
export function reachesAll({ kind, weights }) {
  if (kind === "table") return weights.every((weight) => weight > 0);
  return kind !== "constant";
}
