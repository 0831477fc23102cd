// Random numbers as hyperna's compiled kernels draw them, so that equal seeds give equal runs.

// ---- a key from a seed: numpy's SeedSequence (M. O'Neill's seed_seq_fe128)

const POOL_SIZE = 4;

function hasher(initial, multiplier) {
  let constant = initial;
  return (value) => {
    let mixed = value ^ constant;
    constant = Math.imul(constant, multiplier);
    mixed = Math.imul(mixed, constant);
    return (mixed ^ (mixed >>> 16)) >>> 0;
  };
}

function mix(x, y) {
  const mixed = (Math.imul(0xca01f9dd, x) - Math.imul(0x4973f715, y)) | 0;
  return (mixed ^ (mixed >>> 16)) >>> 0;
}

// Four 64-bit words from a seed below 2^32.
export function seedKey(seed) {
  const hash = hasher(0x43b0d7e5, 0x931e8875);
  const pool = Array.from({ length: POOL_SIZE }, (_, i) => hash(i === 0 ? seed : 0));
  for (let source = 0; source < POOL_SIZE; source += 1) {
    for (let target = 0; target < POOL_SIZE; target += 1) {
      if (source !== target) pool[target] = mix(pool[target], hash(pool[source]));
    }
  }
  const spread = hasher(0x8b51f9dd, 0x58f38ded);
  const halves = Array.from({ length: 2 * POOL_SIZE }, (_, i) => BigInt(spread(pool[i % POOL_SIZE])));
  return Array.from({ length: POOL_SIZE }, (_, i) => (halves[2 * i + 1] << 32n) | halves[2 * i]);
}

// ---- the stream of a run: xoshiro256++ (Blackman and Vigna, 2021)

const WORD = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c15n;

// The finaliser of splitmix64.
function scatter(word) {
  let mixed = ((word ^ (word >> 30n)) * 0xbf58476d1ce4e5b9n) & WORD;
  mixed = ((mixed ^ (mixed >> 27n)) * 0x94d049bb133111ebn) & WORD;
  return mixed ^ (mixed >> 31n);
}

export class Stream {
  // The random numbers of run number `run` under a seed.
  constructor(seed, run = 0) {
    const key = seedKey(seed);
    this.state = new Int32Array(8); // four words of 64 bits, the lower half of each first
    for (let j = 0; j < 4; j += 1) {
      const number = ((BigInt(run) * 4n + BigInt(j)) * GOLDEN + GOLDEN) & WORD;
      const word = (scatter(scatter(number) ^ key[j]) + GOLDEN * BigInt(j)) & WORD;
      this.state[2 * j] = Number(word & 0xffffffffn);
      this.state[2 * j + 1] = Number(word >> 32n);
    }
    // The two halves of the latest word, from 0 to 2^32 - 1.
    this.low = 0;
    this.high = 0;
  }

  // Draw 64 random bits into `low` and `high`.
  next() {
    const { state } = this;
    const a0 = state[0];
    const a1 = state[1];
    const b0 = state[2];
    const b1 = state[3];
    let c0 = state[4];
    let c1 = state[5];
    let d0 = state[6];
    let d1 = state[7];
    let sum = (a0 >>> 0) + (d0 >>> 0);
    const total0 = sum | 0;
    const total1 = (a1 + d1 + (sum > 0xffffffff ? 1 : 0)) | 0;
    const turned0 = (total0 << 23) | (total1 >>> 9);
    const turned1 = (total1 << 23) | (total0 >>> 9);
    sum = (turned0 >>> 0) + (a0 >>> 0);
    this.low = sum >>> 0;
    this.high = (turned1 + a1 + (sum > 0xffffffff ? 1 : 0)) >>> 0;
    const shifted0 = b0 << 17;
    const shifted1 = (b1 << 17) | (b0 >>> 15);
    c0 ^= a0;
    c1 ^= a1;
    d0 ^= b0;
    d1 ^= b1;
    state[0] = a0 ^ d0;
    state[1] = a1 ^ d1;
    state[2] = b0 ^ c0;
    state[3] = b1 ^ c1;
    state[4] = c0 ^ shifted0;
    state[5] = c1 ^ shifted1;
    state[6] = (d1 << 13) | (d0 >>> 19);
    state[7] = (d0 << 13) | (d1 >>> 19);
  }

  // Uniform in [0, 1) on the grid of 2^-53.
  uniform() {
    this.next();
    return this.fraction();
  }

  // The upper 53 bits of the latest word as a number in [0, 1).
  fraction() {
    return (this.high * 2097152 + (this.low >>> 11)) / 9007199254740992;
  }

  // Uniform in 0 .. bound - 1, by a bit mask and rejection; bound up to 2^53.
  below(bound) {
    const largest = bound - 1;
    const highMask = maskOf(Math.floor(largest / 4294967296));
    const lowMask = largest >= 4294967296 ? -1 : maskOf(largest);
    for (;;) {
      this.next();
      const value = ((this.high & highMask) >>> 0) * 4294967296 + ((this.low & lowMask) >>> 0);
      if (value < bound) return value;
    }
  }

  // Failures before the first success, where log P(failure) < 0 is given.
  geometric(logFailure) {
    return Math.floor(Math.log(this.uniform() + 2 ** -53) / logFailure);
  }
}

// All bits up to the highest one of a number below 2^32.
function maskOf(value) {
  return value === 0 ? 0 : (0xffffffff >>> Math.clz32(value)) | 0;
}
