// What counts as success: this is hyperna/run/success.py.
import { outputOf } from "./outputs.js";
import { bestFitness, optimaOf, roundingLoss } from "./problems.js";

const TAU = 2 * Math.PI;

// The smallest score whose fitness is at least the target.
function scoreOf(target, units) {
  let score = Math.ceil(target * units);
  while (score > 0 && (score - 1) / units >= target) score -= 1;
  while (score / units < target) score += 1;
  return score;
}

// A fitness that no network near one of the optima falls below.
function hopefulFitness(optima, best, grid, neurons, neuron) {
  const { resolution, unit } = grid;
  const biases = optima.flat().map((one) => one[1]);
  if (best === null) return 0;
  if (neuron === "bent") return best - (3 * neurons * unit) / resolution - 1e-9;
  if (Math.min(...biases) < unit || Math.max(...biases) > resolution - unit) return 0;
  const width = (bias) => Math.acos((2 * bias) / resolution - 1) / TAU;
  const losses = optima.map((optimum) =>
    optimum.reduce((sum, [, bias]) => {
      const shift = Math.max(...[bias + unit, bias - unit].map((other) => Math.abs(width(other) - width(bias))));
      return sum + shift + unit / resolution;
    }, 0),
  );
  return best - 2 * Math.max(...losses) - 1e-9;
}

// Which constant answers a network can give: this is `constant_answers` of hyperna/run/success.py.
function constantAnswers({ neurons, neuron, output, bias }) {
  if (bias || neuron === "bent" || (output === "evolved" && neurons > 1)) return [false, true];
  if (neurons === 1) return [];
  // Some neurons with a normal and the others with its opposite are constant where the output makes the same of both.
  const join = outputOf(output);
  const found = new Set();
  for (let fire = 0; fire <= neurons; fire += 1) {
    const answer = join(fire, neurons);
    if (answer === join(neurons - fire, neurons)) found.add(answer);
  }
  return [...found];
}

// The score of the best answer that needs no learning; `positive` units are positive.
function trivialScore(setting, units, positive) {
  const answers = constantAnswers(setting);
  return answers.length
    ? Math.max(...answers.map((answer) => (answer ? positive : units - positive)))
    : Math.floor(units / 2);
}

const NOTHING = {
  text: "nothing, the run continues to its limit",
  score: null,
  optima: [],
  hopeful: 0,
  target: null,
  tolerance: 0,
};

// What ends a run with success: a score, or closeness to one of the optima (in grid units).
export function goalOf({ problem, setting, grid, units, positive }) {
  const trivial = trivialScore(setting, units, positive);
  const { resolution, unit } = grid;
  if (problem.X)
    return units > trivial ? { ...NOTHING, text: "every point is correct", score: units, target: 1 } : NOTHING;
  const best = bestFitness(problem, setting);
  const optima = optimaOf(problem, setting).map((optimum) =>
    optimum.map(([angle, bias, bend]) => {
      const values = [angle * resolution, (bias * resolution + resolution) / 2];
      return bend === undefined ? values : [...values, bend * resolution];
    }),
  );
  if (optima.length) {
    const hopeful = Math.max(
      0,
      Math.floor(hopefulFitness(optima, best, grid, setting.neurons, setting.neuron) * units),
    );
    const tolerance = unit - Math.max(1e-9, 5e-16 * resolution);
    return {
      ...NOTHING,
      text: "every angle and bias is less than one grid step from an optimum",
      optima,
      hopeful,
      tolerance,
    };
  }
  if (best === null) return NOTHING;
  const target = Math.max(0, best - roundingLoss(problem, setting, resolution / unit));
  const score = scoreOf(target, units);
  // A fitness that an answer without any learning has is no success.
  return score > trivial
    ? { ...NOTHING, text: `at least ${(100 * target).toFixed(1)} % are correct`, score, target }
    : NOTHING;
}

// Whether every neuron can be given an optimal neuron of its own.
function matched(near) {
  const size = near.length;
  const owner = Array(size).fill(-1);
  const give = (i, seen) =>
    near[i].some((close, j) => {
      if (!close || seen.has(j)) return false;
      seen.add(j);
      if (owner[j] >= 0 && !give(owner[j], seen)) return false;
      owner[j] = i;
      return true;
    });
  return near.every((_, i) => give(i, new Set()));
}

// Whether a network with this score ends a run of the task with success.
export function isSuccess({ goal, width, moduli }, genome, score) {
  if (goal.score !== null) return score >= goal.score;
  if (score < goal.hopeful) return false;
  return goal.optima.some((optimum) =>
    matched(
      optimum.map((_, i) =>
        optimum.map((target) =>
          target.every((value, k) => {
            const away = Math.abs(genome[i * width + k] - value);
            return Math.min(away, moduli[i * width + k] - away) < goal.tolerance;
          }),
        ),
      ),
    ),
  );
}
