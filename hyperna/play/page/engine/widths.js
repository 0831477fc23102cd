// Half the length of the arc on which a neuron fires, in exact units of a turn.
//
// This is hyperna/network/neurons.py and _kernels/shapes.py. A table is rounded correctly, so that half-widths which
// add up to a part of the turn still do so; on a grid too fine for a table they are computed when needed.
import { cosSin } from "./fitness.js";
import { rint } from "./tables.js";

const LARGEST_TABLE = 2 ** 14;
const LARGEST_BENT_TABLE = 256;
const BITS = 100n;
const TWO_PI = 7964883625991394727376702227904n; // floor(2 pi 2^100)

// The sine in integers of 2^-100.
function sine(angle) {
  const square = (angle * angle) >> BITS;
  let total = 0n;
  for (let term = angle, n = 1n; term; n += 2n) {
    total += n % 4n === 1n ? term : -term;
    term = ((term * square) >> BITS) / ((n + 1n) * (n + 2n));
  }
  return total;
}

// The angle with this sine in integers of 2^-100: one Newton step from the double-precision guess.
function arcsineOf(wanted, guess) {
  const angle = BigInt(Math.trunc(guess * 2 ** 100));
  return angle + BigInt(Math.trunc(Number(wanted - sine(angle)) / Math.cos(guess)));
}

function squareRoot(value) {
  if (value < 2n) return value;
  let root = BigInt(Math.floor(Math.sqrt(Number(value))));
  for (;;) {
    const next = (root + value / root) >> 1n;
    const step = next - root;
    root = next;
    if (step === 0n || step === 1n || step === -1n) break;
  }
  while (root * root > value) root -= 1n;
  while ((root + 1n) * (root + 1n) <= value) root += 1n;
  return root;
}

// arccos(1 - 2 k / r) = 2 arcsin(sqrt(k / r)) in units, for k / r up to 1/2.
function plainHalfWidth(k, r, turn) {
  const wanted = squareRoot((BigInt(k) << (2n * BITS)) / BigInt(r));
  const angle = arcsineOf(wanted, Math.asin(Math.sqrt(k / r)));
  return Number((4n * BigInt(turn) * angle + TWO_PI) / (2n * TWO_PI));
}

// arccos(b) for each of the r + 1 biases.
function plainTable(r, turn) {
  const table = new Float64Array(r + 1);
  for (let bias = 0; bias <= r; bias += 1) {
    if (2 * bias >= r) {
      table[bias] = plainHalfWidth(r - bias, r, turn);
      table[r - bias] = turn / 2 - table[bias];
    }
  }
  return table;
}

// arcsin(b sin theta) in units, b = size / r and theta = pi away / r, up to pi/2.
function bentLag(size, away, r, turn) {
  const wanted = (sine((TWO_PI * BigInt(away)) / BigInt(2 * r)) * BigInt(size)) / BigInt(r);
  const angle = arcsineOf(wanted, Math.asin(Number(wanted) / 2 ** 100));
  return Number((2n * BigInt(turn) * angle + TWO_PI) / (2n * TWO_PI));
}

// theta - arcsin(b sin theta) for all bends and biases; the r + 1 biases of the first bend come first.
function bentTable(r, turn) {
  const step = Math.floor(turn / (2 * r));
  const table = new Float64Array(r * (r + 1));
  const lags = new Map();
  const lag = (away, size) => {
    const key = away * (r + 1) + size;
    if (!lags.has(key)) lags.set(key, size === r ? step * away : bentLag(size, away, r, turn));
    return lags.get(key);
  };
  for (let bend = 0; bend < r; bend += 1) {
    for (let bias = 0; bias <= r; bias += 1) {
      const found = lag(Math.min(bend, r - bend), Math.abs(2 * bias - r));
      table[bend * (r + 1) + bias] = step * bend + (2 * bias < r ? found : -found);
    }
  }
  return table;
}

// asin(x) for 0 <= x <= 0.5: the rational approximation of fdlibm (1993), as in the kernels.
function arcsine(x) {
  const z = x * x;
  let p = 7.91534994289814532176e-4 + z * 3.4793310759602116757e-5;
  p = 2.01212532134862925881e-1 + z * (-4.00555345006794114027e-2 + z * p);
  p = z * (1.66666666666666657415e-1 + z * (-3.25565818622400915405e-1 + z * p));
  let q = -6.8828397160545329303e-1 + z * 7.70381505559019352791e-2;
  q = 1 + z * (-2.40339491173441421878 + z * (2.02094576023350569471 + z * q));
  return x + x * (p / q);
}

function finePlain(r, turn) {
  const unit = turn / (2 * Math.PI);
  const inverse = 1 / r;
  return (bias) => {
    const size = Math.abs(2 * bias - r);
    let nearer;
    if (2 * size > r) nearer = rint(unit * (2 * arcsine(Math.sqrt((r - size) * 0.5 * inverse))));
    else nearer = Math.floor(turn / 4) - rint(unit * arcsine(size * inverse));
    return 2 * bias >= r ? nearer : turn / 2 - nearer;
  };
}

function fineBent(r, turn, plain) {
  const unit = turn / (2 * Math.PI);
  const inverse = 1 / r;
  const step = Math.floor(turn / (2 * r));
  return (bias, bend) => {
    if (2 * bend === r) return plain(bias);
    const size = Math.abs(2 * bias - r);
    const away = Math.min(bend, r - bend);
    let lag = step * away;
    if (size < r) {
      const [cosine, sineOfBend] = cosSin(away, 2 * r);
      const b = size * inverse;
      const x = b * sineOfBend;
      if (x <= 0.5) lag = rint(unit * arcsine(x));
      else {
        const rest = (r - size) * inverse * (1 + b) + b * b * cosine * cosine;
        lag = Math.floor(turn / 4) - rint(unit * (2 * arcsine(Math.sqrt((0.5 * rest) / (1 + x)))));
      }
    }
    return 2 * bias >= r ? step * bend - lag : step * bend + lag;
  };
}

// The function from bias and bend to the half-width.
export function halfWidths(kind, r, turn) {
  const table = r <= LARGEST_TABLE ? plainTable(r, turn) : null;
  const plain = table ? (bias) => table[bias] : finePlain(r, turn);
  if (kind === "plain") return plain;
  if (r > LARGEST_BENT_TABLE) return fineBent(r, turn, plain);
  const bent = bentTable(r, turn);
  return (bias, bend) => bent[bend * (r + 1) + bias];
}
