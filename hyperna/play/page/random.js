// A small seeded generator (sfc32): the same seed shows the same run on every machine.
export class Random {
  constructor(seed) {
    this.a = seed >>> 0;
    this.b = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) >>> 0;
    this.c = Math.imul(seed + 0x7f4a7c15, 0xc2b2ae35) >>> 0;
    this.counter = 1;
    for (let i = 0; i < 20; i += 1) this.word();
  }

  // 32 random bits.
  word() {
    const t = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = ((this.c << 21) | (this.c >>> 11)) + t | 0;
    return t >>> 0;
  }

  // Uniform in (0, 1), 53 bits.
  uniform() {
    const high = this.word() >>> 5, low = this.word() >>> 6;
    return (high * 67108864 + low + 0.5) / 9007199254740992;
  }

  // Uniform in 0 .. size - 1.
  below(size) {
    return Math.floor(this.uniform() * size);
  }
}

// Draws an index with given probabilities in constant time (Walker's alias method).
export class Alias {
  constructor(pmf) {
    const size = pmf.length;
    this.chance = new Float64Array(size).fill(1);
    this.other = new Int32Array(size);
    const scaled = pmf.map((p) => p * size);
    const small = [], large = [];
    scaled.forEach((p, i) => (p < 1 ? small : large).push(i));
    while (small.length && large.length) {
      const low = small.pop(), high = large.pop();
      this.chance[low] = scaled[low];
      this.other[low] = high;
      scaled[high] -= 1 - scaled[low];
      (scaled[high] < 1 ? small : large).push(high);
    }
  }

  draw(random) {
    const place = random.uniform() * this.chance.length;
    const index = Math.floor(place);
    return place - index < this.chance[index] ? index : this.other[index];
  }
}
