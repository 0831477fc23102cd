// Draws of an index with given probabilities in constant time (Walker 1977, built as by Vose 1991).

// The sum in numpy's order: the last digit decides how a table is laid out.
function pairwiseSum(values, first = 0, count = values.length) {
  if (count > 128) {
    let half = Math.floor(count / 2);
    half -= half % 8;
    return pairwiseSum(values, first, half) + pairwiseSum(values, first + half, count - half);
  }
  let sum = 0;
  let done = 0;
  if (count >= 8) {
    const parts = Array.from(values.slice(first, first + 8));
    for (done = 8; done + 8 <= count; done += 8) {
      for (let k = 0; k < 8; k += 1) parts[k] += values[first + done + k];
    }
    const [a, b, c, d, e, f, g, h] = parts;
    sum = a + b + (c + d) + (e + f + (g + h));
  }
  for (; done < count; done += 1) sum += values[first + done];
  return sum;
}

export const normalised = (weights) => {
  const sum = pairwiseSum(weights);
  return Float64Array.from(weights, (weight) => weight / sum);
};

// The nearest integer, of two the even one.
export function rint(value) {
  const below = Math.floor(value);
  const rest = value - below;
  if (rest !== 0.5) return rest < 0.5 ? below : below + 1;
  return below % 2 === 0 ? below : below + 1;
}

export class AliasTable {
  constructor(weights) {
    this.bits = Math.max(1, 32 - Math.clz32(weights.length - 1));
    const size = 2 ** this.bits;
    const scale = size / pairwiseSum(weights);
    const fraction = new Float64Array(size);
    for (let i = 0; i < weights.length; i += 1) fraction[i] = weights[i] * scale;
    this.alias = fillAliases(fraction);
    // An index is kept where 63 - bits random bits are below its threshold, given in two parts.
    this.thresholdHigh = new Uint32Array(size);
    this.thresholdLow = new Uint32Array(size);
    const whole = 2 ** (63 - this.bits);
    for (let i = 0; i < size; i += 1) {
      const threshold = rint(fraction[i] * whole);
      const high = Math.floor(threshold / 4294967296);
      const full = threshold >= whole;
      this.thresholdHigh[i] = full ? 2 ** (31 - this.bits) - 1 : high;
      this.thresholdLow[i] = full ? 0xffffffff : threshold - high * 4294967296;
    }
  }

  // The index that the latest word of a stream gives; its lowest bit is not used.
  pick(stream) {
    const { high, low } = stream;
    const shift = 32 - this.bits;
    const index = high >>> shift;
    const rest = high & ((1 << shift) - 1);
    const upper = rest >>> 1;
    const limit = this.thresholdHigh[index];
    if (upper < limit) return index;
    if (upper > limit) return this.alias[index];
    const lower = ((low >>> 1) | ((rest & 1) << 31)) >>> 0;
    return lower < this.thresholdLow[index] ? index : this.alias[index];
  }
}

// Write to `fraction` how much of each index is its own; return the other index of each.
function fillAliases(fraction) {
  const size = fraction.length;
  const alias = Int32Array.from({ length: size }, (_, i) => i);
  const stack = new Int32Array(size); // the poor from below, the rich from above
  let low = 0;
  let high = size;
  for (let i = 0; i < size; i += 1) {
    if (fraction[i] < 1) {
      stack[low] = i;
      low += 1;
    } else {
      high -= 1;
      stack[high] = i;
    }
  }
  while (low > 0 && high < size) {
    low -= 1;
    const poor = stack[low];
    const rich = stack[high];
    alias[poor] = rich;
    fraction[rich] = fraction[rich] + fraction[poor] - 1;
    if (fraction[rich] < 1) {
      high += 1;
      stack[low] = rich;
      low += 1;
    }
  }
  for (let i = 0; i < low; i += 1) fraction[stack[i]] = 1;
  for (let i = high; i < size; i += 1) fraction[stack[i]] = 1;
  return alias;
}
