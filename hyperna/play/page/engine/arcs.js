// Exact arithmetic with unions of arcs on a circle of `whole` equal parts: this is hyperna/problems/arcs.py.
//
// An arc is a pair of whole numbers [start, end] with 0 <= start < whole and start < end < start + whole; one that
// passes 0 has end > whole. A union is a list of arcs, sorted by their starts, that do not touch.

const modulo = (value, whole) => ((value % whole) + whole) % whole;

// The union of any arcs; throws if it is the whole circle.
export function mergeArcs(arcs, whole) {
  const merged = [];
  const turned = arcs.map(([start, end]) => [modulo(start, whole), modulo(start, whole) + end - start]);
  turned.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  for (const [start, end] of turned) {
    const last = merged.at(-1);
    if (last && start <= last[1]) last[1] = Math.max(last[1], end);
    else merged.push([start, end]);
  }
  // An arc that passes 0 may reach the first ones from behind.
  while (merged.length > 1 && merged.at(-1)[1] - whole >= merged[0][0]) {
    const [, end] = merged.shift();
    merged.at(-1)[1] = Math.max(merged.at(-1)[1], end + whole);
  }
  if (merged[0][1] - merged[0][0] >= whole) {
    throw new Error("the intervals cover the whole circle; leave a part of it negative");
  }
  return merged;
}

// The gap after each arc.
function gaps(arcs, whole) {
  return arcs.map(([, end], i) => [end, i + 1 < arcs.length ? arcs[i + 1][0] : arcs[0][0] + whole]);
}

export const complement = (arcs, whole) => mergeArcs(gaps(arcs, whole), whole);

export const covered = (arcs) => arcs.reduce((sum, [start, end]) => sum + end - start, 0);

export function inArcs(arcs, turn) {
  return arcs.some(([start, end]) => {
    const x = turn < start ? turn + 1 : turn;
    return x >= start && x <= end;
  });
}

// ---- the best approximations by few arcs

// value[i][b][n]: the largest gain of pieces i.. with n more runs starting there; b: piece i - 1 is taken.
function runTable(gains, runs, before) {
  const impossible = -1 - 3 * gains.reduce((sum, gain) => sum + Math.abs(gain), 0);
  const end = [0, 1].map(() => Array(runs + 1).fill(impossible));
  end[before][0] = 0;
  const table = [end];
  for (const gain of [...gains].reverse()) {
    const [left, taken] = table[0];
    const stay = taken.map((value) => gain + value);
    const start = [impossible, ...stay.slice(0, -1)];
    table.unshift([
      left.map((value, n) => Math.max(value, start[n])),
      left.map((value, n) => Math.max(value, stay[n])),
    ]);
  }
  return table;
}

// Up to `limit` choices of pieces that attain the value of the table.
function trace(gains, table, runs, before, limit) {
  const found = [];
  const stack = [[[], runs]];
  while (stack.length && found.length < limit) {
    const [taken, left] = stack.pop();
    const i = taken.length;
    if (i === gains.length) {
      found.push(taken);
      continue;
    }
    const previous = i ? taken[i - 1] : before;
    const value = table[i][previous][left];
    const rest = previous ? left : left - 1;
    if (rest >= 0 && gains[i] + table[i + 1][1][rest] === value) stack.push([[...taken, 1], rest]);
    if (table[i + 1][0][left] === value) stack.push([[...taken, 0], left]);
  }
  return found;
}

// The share of the circle on which the best approximations by `size` arcs agree with a union, and all of them (none
// if there are more than `limit`).
//
// The ends of a best one are ends of the union, so every arc and gap of the union is either taken or left.
export function bestUnions(arcs, whole, size, limit) {
  const runs = Math.min(size, arcs.length);
  if (runs === arcs.length) return { share: 1, best: [arcs] };
  const between = gaps(arcs, whole);
  const pieces = arcs.flatMap((arc, i) => [arc, between[i]]);
  const gains = pieces.map(([start, end], i) => (i % 2 ? start - end : end - start));
  const tables = [0, 1].map((before) => runTable(gains, runs, before));
  const most = Math.max(tables[0][0][0][runs], tables[1][0][1][runs]);
  const choices = [];
  tables.forEach((table, before) => {
    if (table[0][before][runs] === most && choices.length <= limit) {
      choices.push(...trace(gains, table, runs, before, limit + 1 - choices.length));
    }
  });
  const best =
    choices.length > limit
      ? []
      : choices.map((taken) =>
          mergeArcs(
            pieces.filter((_, i) => taken[i]),
            whole,
          ),
        );
  return { share: (most + covered(between)) / whole, best };
}

// ---- other ways to make the same union

function pairings(ends) {
  if (!ends.length) return [[]];
  const [first, ...others] = ends;
  return others.flatMap((other, i) => {
    const rest = [...others.slice(0, i), ...others.slice(i + 1)];
    return pairings(rest).map((pairs) => [[first, other], ...pairs]);
  });
}

// Which of k arcs to replace by their complements to get a union and not its complement.
export function turnedArcs(arcs, whole) {
  const odd = arcs.some(([, end]) => end >= whole) ? 1 : 0;
  const found = [];
  for (let code = 0; code < 2 ** arcs.length; code += 1) {
    const turned = arcs.map((_, i) => (code >> (arcs.length - 1 - i)) & 1);
    if (turned.reduce((sum, one) => sum + one, 0) % 2 === odd) found.push(turned);
  }
  return found;
}

// All choices of k arcs an odd number of which holds exactly the points of a union of k; none if more than `limit`.
export function symmetricDifferences(arcs, whole, limit) {
  let count = 2 ** (arcs.length - 1);
  for (let factor = 1; factor < 2 * arcs.length; factor += 2) count *= factor;
  if (count > limit) return [];
  const ends = arcs
    .flat()
    .map((end) => end % whole)
    .sort((a, b) => a - b);
  return pairings(ends).flatMap((pairs) =>
    turnedArcs(arcs, whole).map((turned) => pairs.map(([a, b], i) => (turned[i] ? [b, a + whole] : [a, b]))),
  );
}

// ---- networks whose biases are all 0: every neuron fires on half of the circle

// The ends of the arcs and the points opposite to them; `whole` is even.
function cuts(arcs, whole) {
  const found = new Set(arcs.flat().flatMap((end) => [end % whole, (end + whole / 2) % whole]));
  return [...found].sort((a, b) => a - b);
}

// The function G(x) = positive length up to x, less the negative length.
function gainOf(arcs, whole) {
  return (x) => {
    const turns = Math.floor(x / whole);
    const place = modulo(x, whole);
    let positive = turns * covered(arcs);
    for (const [start, end] of arcs) {
      positive += Math.max(0, Math.min(place, end) - start) + Math.max(0, Math.min(place, end - whole));
    }
    return 2 * positive - x;
  };
}

// The best share that one half circle gets right, and the middles of the best ones if they are finitely many.
export function bestHalfCircles(arcs, whole) {
  const gain = gainOf(arcs, whole);
  const quarter = whole / 4;
  const middles = cuts(arcs, whole)
    .map((cut) => (cut + quarter) % whole)
    .sort((a, b) => a - b);
  const gains = middles.map((middle) => gain(middle + quarter) - gain(middle - quarter));
  const best = Math.max(...gains);
  const found = gains.map((value) => value === best);
  // Between neighbours the share is linear: two best neighbours have best half circles between them.
  const isolated = !found.some((good, i) => good && found[(i + 1) % found.length]);
  return { share: (whole - covered(arcs) + best) / whole, middles: isolated ? middles.filter((_, i) => found[i]) : [] };
}

// The best share that one arc with a length in these bounds gets right.
export function bestArc(arcs, whole, shortest, longest) {
  const gain = gainOf(arcs, whole);
  const places = cuts(arcs, whole);
  let best = -whole;
  for (const start of places) {
    for (let turn = 0; turn < 3; turn += 1) {
      for (const cut of places) {
        const end = cut + turn * whole;
        if (end >= start + shortest && end <= start + longest) best = Math.max(best, gain(end) - gain(start));
      }
    }
  }
  return (whole - covered(arcs) + best) / whole;
}

// The best share that an XOR of half circles gets right: opposite points have the same answer or always another one.
export function bestParity(arcs, whole, neurons) {
  const odd = neurons % 2;
  const half = whole / 2;
  const gain = gainOf(arcs, whole);
  const places = cuts(arcs, whole).filter((cut) => cut < half);
  const most = Math.min(neurons, places.length + 1);
  const right = (first, last, positive) => {
    const here = gain(last) - gain(first);
    const opposite = gain(last + half) - gain(first + half);
    const total = odd ? here - opposite : here + opposite;
    return last - first + (positive ? total : -total) / 2;
  };
  let best = -2 * whole;
  for (const firstLabel of [0, 1]) {
    // value[label][changes] of the pieces so far
    let value = [0, 1].map(() => Array(most + 1).fill(-2 * whole));
    value[firstLabel][0] = 0;
    places.forEach((first, i) => {
      const last = i + 1 < places.length ? places[i + 1] : places[0] + half;
      const grown = value.map((totals, label) => totals.map((total) => total + right(first, last, label)));
      value = grown.map((totals, label) =>
        totals.map((total, n) => Math.max(total, n ? grown[1 - label][n - 1] : -2 * whole)),
      );
    });
    best = Math.max(best, ...value[firstLabel ^ odd]);
  }
  return best / whole;
}

// The share that no network can beat whose answers at opposite points are bound, in any dimension.
export function oppositeBound(arcs, whole, odd) {
  const gain = gainOf(arcs, whole);
  const places = cuts(arcs, whole);
  const half = whole / 2;
  let different = 0;
  places.forEach((first, i) => {
    const last = i + 1 < places.length ? places[i + 1] : places[0] + whole;
    if (gain(last) - gain(first) !== gain(last + half) - gain(first + half)) different += last - first;
  });
  return odd ? (whole + different) / (2 * whole) : (2 * whole - different) / (2 * whole);
}
