// A network as a rule with few digits, in the units of the data, that gives the points the same answers.
//
// A point on a border may get the other answer, because rounding decides there, in other ways in the search than in the
// units of the data. What a rule answers is what `holds` says.
const MOST_DIGITS = 5;

const significant = (value, digits) => (value === 0 ? 0 : Number(value.toPrecision(digits)));

// The number with the fewest decimals in [low, high), near the middle.
function roundNumber(low, high) {
  if (low === -Infinity && high === Infinity) return 0;
  if (low === -Infinity) return Math.ceil(high) - 1;
  if (high === Infinity) return Math.ceil(low);
  const middle = (low + high) / 2;
  for (let decimals = 0; decimals <= 12; decimals += 1) {
    const rounded = Number(middle.toFixed(decimals));
    if (rounded >= low && rounded < high) return rounded;
  }
  return low;
}

// A half-space as coefficients and a threshold in the units of the data; it fires on the same points.
function condition({ w, t }, scaling, points) {
  const raw = w.map((value, j) => value * scaling[j].factor);
  const threshold = t + raw.reduce((sum, value, j) => sum + value * scaling[j].mean, 0);
  const largest = Math.max(...raw.map(Math.abs));
  const exact = raw.map((value) => value / largest);
  const project = (weights, point) => weights.reduce((sum, value, j) => sum + value * point[j], 0);
  // What is rounded must fire where the network does.
  const fires = points.map((point) => {
    const dot = w.reduce((sum, value, j) => sum + value * (point[j] - scaling[j].mean) * scaling[j].factor, 0);
    return dot >= t;
  });
  for (let digits = 1; digits <= MOST_DIGITS + 1; digits += 1) {
    const weights = digits <= MOST_DIGITS ? exact.map((value) => significant(value, digits)) : exact;
    let low = -Infinity;
    let high = Infinity;
    points.forEach((point, p) => {
      const place = project(weights, point);
      if (fires[p]) high = Math.min(high, place);
      else low = Math.max(low, place);
    });
    if (low < high) return sparse(weights, roundNumber(low, high));
  }
  return sparse(exact, threshold / largest);
}

// A condition holds where the sum of its weights times its features is greater than its threshold.
function sparse(weights, threshold) {
  const features = weights.map((_, j) => j).filter((j) => weights[j] !== 0);
  return { features, weights: features.map((j) => weights[j]), threshold };
}

// How many conditions must hold; 0: an odd number.
const QUORUMS = { and: (size) => size, or: () => 1, two: () => 2, xor: () => 0 };

export function readable({ join, neurons, terms }, scaling, points) {
  const conditions = neurons.map((neuron) => condition(neuron, scaling, points));
  const quorum = neurons.length === 1 ? 1 : QUORUMS[join](neurons.length);
  return { terms, quorum, conditions };
}

// Whether a rule holds for a point; without conditions it holds everywhere (quorum 0) or nowhere (1).
export function holds({ quorum, conditions }, point) {
  if (!conditions.length) return quorum === 0;
  const fire = conditions.filter(({ features, weights, threshold }) => {
    const sum = features.reduce((total, j, i) => total + weights[i] * point[j], 0);
    return sum > threshold;
  }).length;
  return quorum === 0 ? fire % 2 === 1 : fire >= quorum;
}

// ---- in words, those of hyperna.export_text

const number = (value) => String(Number(value.toPrecision(8))).replace("-", "−");

// A condition such as "petal length > 2.6 cm", its first weight positive.
export function conditionText({ features, weights, threshold }, names, unit) {
  const sign = weights[0] < 0 ? -1 : 1;
  const parts = features.map((j, i) => {
    const value = sign * weights[i];
    const size = Math.abs(value) === 1 ? "" : `${number(Math.abs(value))} `;
    if (i === 0) return `${size}${names[j]}`;
    return `${value < 0 ? "−" : "+"} ${size}${names[j]}`;
  });
  const relation = sign < 0 ? "<" : ">";
  return `${parts.join(" ")} ${relation} ${number(sign * threshold + 0)}${unit ? ` ${unit}` : ""}`;
}

function joinText(quorum, size) {
  if (size === 1) return "if";
  if (quorum === 0) return size === 2 ? "if EXACTLY ONE of" : "if an ODD NUMBER of";
  if (quorum === 1) return "if ANY of";
  return quorum === size ? "if ALL of" : `if AT LEAST ${quorum} of`;
}

// The head of a rule and its conditions.
export function ruleText({ quorum, conditions }, { features, unit, classes }) {
  const [negative, positive] = classes;
  if (!conditions.length) return { head: `always ${quorum === 0 ? positive : negative}`, conditions: [] };
  return {
    head: `${positive} ${joinText(quorum, conditions.length)}`,
    conditions: conditions.map((one) => conditionText(one, features, unit)),
    rest: `otherwise ${negative}`,
  };
}
