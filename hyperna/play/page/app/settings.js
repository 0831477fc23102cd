// Checks of a setting, with the ranges that hyperna.play tells.
// What is chosen from a list, and where the facts hold the list.
const CHOSEN_FROM = { problem: "problems", output: "outputs", neuron: "neurons" };

function checkWhole(name, value, [low, high]) {
  if (!Number.isInteger(value) || value < low || value > high) {
    throw new Error(`${name} must be a whole number from ${low} to ${high}, got ${value}`);
  }
}

function checkRows(name, rows, [width, most]) {
  const good =
    Array.isArray(rows) &&
    rows.length <= most &&
    rows.every((row) => row.length === width && row.every((value) => Number.isFinite(value) && Math.abs(value) <= 1e4));
  if (!good) throw new Error(`${name} must be at most ${most} rows of ${width} numbers`);
}

function checkArcs(arcs) {
  for (const [start, end] of arcs) {
    if (!Number.isInteger(start) || !Number.isInteger(end))
      throw new Error(`arcs must be in whole degrees, got ${start} to ${end}`);
    if (end <= start) throw new Error(`an arc must start before it ends, got ${start} to ${end}`);
    if (end - start >= 360) throw new Error(`an arc must not cover the whole circle, got ${start} to ${end}`);
  }
}

// Return a complete setting, or throw an error that names what is wrong.
export function checked(setting, facts) {
  const whole = { ...structuredClone(facts.defaults), ...setting };
  for (const [name, list] of Object.entries(CHOSEN_FROM)) {
    if (!Object.hasOwn(facts[list], whole[name])) {
      throw new Error(
        `${name} must be one of ${Object.keys(facts[list]).join(", ")}, got “${String(whole[name]).slice(0, 40)}”`,
      );
    }
  }
  if (typeof whole.bias !== "boolean") throw new Error(`bias must be true or false, got ${whole.bias}`);
  for (const [name, range] of Object.entries(facts.ranges)) checkWhole(name, whole[name], range);
  if (whole.neuron !== "plain")
    checkWhole("resolution of bent neurons", whole.resolution, [facts.ranges.resolution[0], facts.largest_bent]);
  for (const [name, shape] of Object.entries(facts.rows)) checkRows(name, whole[name], shape);
  checkArcs(whole.arcs);
  return whole;
}

// What else changes when a problem is chosen: a number of neurons that can learn it, and where it lives.
export function withProblem(name, setting, facts) {
  const part = { problem: name };
  if (name === "points") return { ...part, dim: 2, neurons: Math.max(setting.neurons, 3) };
  if (name === "cube") return { ...part, dim: 3, neurons: 4 };
  let { neurons } = facts.problems[name];
  if (name === "arcs") neurons = setting.k;
  if (name === "custom_arcs") neurons = setting.arcs.length;
  return { ...part, neurons: Math.min(neurons, facts.ranges.neurons[1]) };
}
