// What is known about networks that learn a union of arcs: this is hyperna/problems/arc_problems.py.
//
// A problem is { arcs, whole, dim }: positive where the angle of the last two coordinates lies in one of the arcs.
import {
  bestArc,
  bestHalfCircles,
  bestParity,
  bestUnions,
  complement,
  covered,
  oppositeBound,
  symmetricDifferences,
  turnedArcs,
} from "./arcs.js";

const MOST_OPTIMA = 1000;
// Outputs for which the best networks were worked out; for any other nothing is claimed. One neuron needs no output.
const KNOWN_OUTPUTS = ["or", "and", "xor", "evolved"];
const isKnown = ({ neurons, output }) => neurons === 1 || KNOWN_OUTPUTS.includes(output);

// How many neurons are known to make no error in any dimension, if so many exist.
function wedgeNeurons({ arcs, whole }, output) {
  if (output === "xor") {
    const ends = new Set(arcs.flat().map((end) => end % whole));
    const mirrored = [...ends].every((end) => ends.has((end + whole / 2) % whole));
    return mirrored ? arcs.length : null;
  }
  if (arcs.length > 1) return null;
  const length = covered(arcs);
  if (2 * length === whole) return 1;
  const fitting = 2 * length < whole ? "and" : "or";
  return output === fitting || output === "evolved" ? 2 : null;
}

function bestWithoutBias({ arcs, whole }, neurons, output) {
  if (neurons === 1 || output === "xor") return bestParity(arcs, whole, neurons);
  if (output === "or") return bestArc(arcs, whole, whole / 2, whole);
  if (output === "and") return bestArc(arcs, whole, 0, whole / 2);
  const { share } = bestUnions(arcs, whole, 1, 0);
  return neurons === 2 || share === 1 ? share : null;
}

// The largest fitness of a network, null where it is not known.
//
// For one neuron in three dimensions it was computed when the page was built: `bestCap`, if there is one.
export function bestFitness(problem, { neurons, output, bias, neuron }) {
  if (!isKnown({ neurons, output })) return null;
  const { arcs, whole, dim, bestCap = null } = problem;
  const freely = bias || neuron === "bent";
  if (dim === 2) return freely ? bestUnions(arcs, whole, neurons, 0).share : bestWithoutBias(problem, neurons, output);
  if (!freely && (output === "xor" || neurons === 1)) {
    const best = bestParity(arcs, whole, neurons);
    return best === oppositeBound(arcs, whole, neurons % 2 === 1) ? best : null;
  }
  const enough = wedgeNeurons(problem, output);
  if (enough && neurons >= enough) return 1;
  return neurons === 1 && freely ? bestCap : null;
}

// Angle (in turns) and bias of the neuron that fires on an arc, exact where the bias is rational.
function cap([start, end], whole) {
  const double = end - start; // twice the half-width
  let bias = Math.sin((2 * Math.PI * (whole - 2 * double)) / (4 * whole));
  if (3 * double === whole || 3 * double === 2 * whole) bias = 2 * double < whole ? 0.5 : -0.5;
  return [((start + end) % (2 * whole)) / (2 * whole), bias];
}

// The bend, in half turns, of a bent neuron that does with bias 0 what one with this arc does.
const bendOf = ([start, end], whole) => (end - start) / whole;

// Half-spaces through 0 and the ends of the arcs that make no error.
function wedgeOptima({ arcs, whole }, neurons, output) {
  if (neurons !== wedgeNeurons({ arcs, whole }, output)) return [];
  const normal = (place) => [(((place % whole) + whole) % whole) / whole, 0];
  if (output === "xor") {
    const ends = arcs
      .flat()
      .map((end) => end % whole)
      .filter((end) => 2 * end < whole)
      .sort((a, b) => a - b);
    if (2 ** (ends.length - 1) > MOST_OPTIMA) return [];
    return turnedArcs(arcs, whole).map((turned) =>
      ends.map((end, i) => normal(end + (turned[i] ? whole / 2 : 0) + whole / 4)),
    );
  }
  const [[start, end]] = arcs;
  return [[start + whole / 4, end - whole / 4].slice(0, neurons).map(normal)];
}

// The best networks on the circle where they are known and finitely many: for each neuron [angle in turns, bias], and
// the bend in half turns if it has one. Networks with an output neuron are not listed.
export function optimaOf(problem, { neurons, output, bias, neuron }) {
  const { arcs, whole, dim } = problem;
  if (!isKnown({ neurons, output })) return [];
  if (dim > 2 || (output === "evolved" && neurons > 1)) return [];
  const bent = neuron === "bent";
  if (bent && (bias || (output === "evolved" && neurons > 1))) return [];
  if (!bent && !bias) {
    if (neurons > 1) return wedgeOptima(problem, neurons, output);
    return bestHalfCircles(arcs, whole).middles.map((middle) => [[middle / whole, 0]]);
  }
  if (neurons > arcs.length) return [];
  let unions = bestUnions(arcs, whole, neurons, MOST_OPTIMA).best;
  const join = neurons === 1 ? "or" : output;
  if (join === "xor" && unions.length) {
    const most = Math.floor(MOST_OPTIMA / unions.length);
    unions = unions.flatMap((union) => symmetricDifferences(union, whole, most));
  }
  // A neuron of an AND fires on all but a gap.
  if (join === "and")
    unions = unions.map((union) => complement(union, whole).map(([start, end]) => [end, start + whole]));
  return unions.map((union) =>
    union.map((arc) => {
      const [angle, level] = cap(arc, whole);
      return bent ? [angle, 0, bendOf(arc, whole)] : [angle, level];
    }),
  );
}

// By how much the best network on a grid may miss the best fitness.
export function roundingLoss({ arcs, whole, dim }, { neurons, bias, neuron }, resolution) {
  if (neuron === "bent" && dim === 2) return (2 * neurons) / resolution;
  if (dim > 2) {
    const turned = Math.sqrt(dim - 1);
    const moved = Math.sqrt(dim / (2 * Math.PI));
    return (neurons * Math.max(2, turned + (bias ? moved : 0))) / resolution;
  }
  if (!bias) return ((1 - 1e-9) * 2 * neurons) / resolution;
  // A bias is half a step off, which matters most for the shortest arc.
  const shortest = Math.min(...[...arcs, ...complement(arcs, whole)].map(([start, end]) => end - start));
  const half = Math.PI * (shortest / whole);
  const wider = Math.acos(Math.max(-1, Math.cos(half) - 1 / resolution)) - half;
  const narrower = half - Math.acos(Math.min(1, Math.cos(half) + 1 / resolution));
  return neurons * Math.max(2 / resolution, 1 / resolution + Math.max(wider, narrower) / Math.PI);
}
