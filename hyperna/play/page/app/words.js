// Words of the page that do not depend on what happens.

// Step laws for people who have not met them; laws that are missing here are described by hyperna.
export const LAW_WORDS = {
  harmonic: "mostly short steps, now and then a long one",
  local: "always to a neighbour",
  uniform: "every length equally likely",
  power_law: "mostly short steps, rarely a long one",
  pareto: "real-valued, mostly short, now and then very long",
  cauchy: "real-valued, mostly short, now and then very long",
  exponential: "real-valued, hardly ever long",
  adaptive: "longer after success, and now and then a long one",
};

export const lawWords = (mutation, facts) => {
  const [name] = mutation.split(":");
  return LAW_WORDS[name] ?? facts.laws[name]?.summary ?? "";
};

export const PROBLEM_WORDS = {
  half: "half",
  quarter: "a quarter",
  two_quarters: "two quarters",
  local_opt: "a landscape with local optima",
  arcs: "equal arcs",
  custom_arcs: "my own arcs",
  points: "my own points",
  cube: "corners of a cube",
};

export const OUTPUT_WORDS = {
  or: "or: one is enough",
  and: "and: all of them",
  xor: "xor: an odd number",
  evolved: "evolved: they vote",
};
export const NEURON_WORDS = { plain: "a straight line", bent: "a bent line" };

// What they do; outputs and neurons that are missing here are described by hyperna.
const OUTPUT_MEANING = {
  or: "yes where at least one neuron says yes",
  and: "yes where every neuron says yes",
  xor: "yes where an odd number of neurons says yes",
  evolved: "one more neuron learns how to join the others",
};
const NEURON_MEANING = {
  plain: "says yes on one side of it",
  bent: "says yes in a cone around its arrow",
};

export const outputMeaning = (name, facts) => OUTPUT_MEANING[name] ?? facts.outputs[name];
export const neuronMeaning = (name, facts) => NEURON_MEANING[name] ?? facts.neurons[name];

export const plainName = (name) => name.replaceAll("_", " ");
