// All networks of one neuron, coloured by fitness, by the chance of success or by the expected time left.
import { isSuccess } from "../engine/success.js";
import { FONT, dot, fit, heat } from "./paint.js";

// Networks of equal fitness that are no worse than all their neighbours, and lead to none that is better.
//
// Where the best angle and bias lie between grid points, the networks next to them are good enough for a success although
// their fitness is a little below the best: `succeeds(state)` tells them from local optima.
function localOptima(scores, r, succeeds) {
  const biases = r + 1;
  const best = scores.reduce((high, score) => Math.max(high, score), 0);
  const plateau = new Int32Array(scores.length).fill(-1);
  const found = { local: [], global: [] };
  const stack = [];
  for (let start = 0; start < scores.length; start += 1) {
    if (plateau[start] >= 0) continue;
    const members = [];
    let beaten = false;
    plateau[start] = start;
    stack.push(start);
    while (stack.length) {
      const here = stack.pop();
      const angle = Math.floor(here / biases);
      const bias = here % biases;
      members.push(here);
      for (let a = -1; a <= 1; a += 1) {
        for (let b = -1; b <= 1; b += 1) {
          const there = ((angle + a + r) % r) * biases + ((bias + b + biases) % biases);
          if (scores[there] > scores[here]) beaten = true;
          if (scores[there] === scores[here] && plateau[there] < 0) {
            plateau[there] = start;
            stack.push(there);
          }
        }
      }
    }
    if (beaten) continue;
    const isGlobal = scores[start] === best || members.some(succeeds);
    found[isGlobal ? "global" : "local"].push(...members);
  }
  return found;
}

export class Landscape {
  constructor(task, fitness) {
    this.r = task.setting.resolution;
    this.unit = task.unit;
    const { r, unit } = this;
    this.scores = new Float64Array(r * (r + 1));
    for (let angle = 0; angle < r; angle += 1) {
      for (let bias = 0; bias <= r; bias += 1)
        this.scores[angle * (r + 1) + bias] = fitness.score([angle * unit, bias * unit]);
    }
    const succeeds = (state) => {
      const genome = [Math.floor(state / (r + 1)) * unit, (state % (r + 1)) * unit];
      return isSuccess(task, genome, this.scores[state]);
    };
    Object.assign(this, localOptima(this.scores, r, succeeds));
    this.images = { fitness: this.paint(this.scores) };
    this.exact = null;
  }

  // Add what is known exactly: the chance of success of each network or, where that is 1, the time left.
  know(exact) {
    this.exact = { mean: exact.mean, probability: exact.probability, values: null, kind: "" };
    if (exact.chances) Object.assign(this.exact, { kind: "chance", values: unpack(exact.chances, 1) });
    if (exact.times) Object.assign(this.exact, { kind: "time", values: unpack(exact.times.shares, exact.times.most) });
    // A little time left is good, and a few networks near the optimum would take all of a linear scale.
    if (exact.times) this.images.exact = this.paint(ranks(this.exact.values).map((rank) => -rank));
    if (exact.chances) this.images.exact = this.paint(this.exact.values);
  }

  paint(values) {
    const { r } = this;
    const canvas = document.createElement("canvas");
    canvas.width = r;
    canvas.height = r + 1;
    const context = canvas.getContext("2d");
    const image = context.createImageData(r, r + 1);
    let low = Infinity;
    let high = -Infinity;
    for (const value of values) {
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
    values.forEach((value, state) => {
      const angle = Math.floor(state / (r + 1));
      const bias = state % (r + 1);
      const place = 4 * ((r - bias) * r + angle);
      image.data.set(heat((value - low) / (high - low || 1)), place);
      image.data[place + 3] = 255;
    });
    context.putImageData(image, 0, 0);
    return canvas;
  }

  // The place of a network in the tables.
  state(genome) {
    const angle = Math.round(genome[0] / this.unit) % this.r;
    return angle * (this.r + 1) + Math.min(Math.round(genome[1] / this.unit), this.r);
  }

  // What is known exactly about the way from here: { kind: "chance" or "time", value }, or null.
  from(genome) {
    if (!this.exact?.values) return null;
    return { kind: this.exact.kind, value: this.exact.values[this.state(genome)] };
  }

  draw(canvas, palette, search, kind) {
    const { context, width, height } = fit(canvas);
    const { r, unit } = this;
    const left = 46;
    const right = width - 10;
    const top = 8;
    const bottom = height - 38;
    const x = (angle) => left + ((angle + 0.5) / r) * (right - left);
    const y = (bias) => bottom - ((bias + 0.5) / (r + 1)) * (bottom - top);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.images[kind] ?? this.images.fitness, left, top, right - left, bottom - top);
    this.drawAxes(context, palette, { left, right, bottom, x, y });
    this.drawPath(context, search.path, { x, y });
    for (const state of this.local)
      drawCross(context, x(Math.floor(state / (r + 1))), y(state % (r + 1)), palette.wrong);
    for (const state of this.global.slice(0, 400))
      dot(context, x(Math.floor(state / (r + 1))), y(state % (r + 1)), 4.5, "#ffffff", "#000000");
    dot(context, x(search.genome[0] / unit), y(search.genome[1] / unit), 7, palette.wrong, "#ffffff", 2.5);
  }

  drawAxes(context, palette, { left, right, bottom, x, y }) {
    context.font = FONT;
    context.fillStyle = palette.quiet;
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const degrees of [0, 90, 180, 270])
      context.fillText(`${degrees}°`, x((degrees / 360) * this.r) + (degrees ? 0 : 6), bottom + 5);
    context.fillText("angle of the arrow", (left + right) / 2, bottom + 21);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const bias of [-1, 0, 1])
      context.fillText(bias === 0 ? "bias 0" : String(bias), left - 6, y(((bias + 1) / 2) * this.r));
  }

  drawPath(context, path, { x, y }) {
    const far = (this.r * this.unit) / 2;
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1.5;
    context.lineJoin = "round";
    context.beginPath();
    path.forEach(([angle, bias], i) => {
      const before = path[i - 1];
      const jumps = !before || Math.abs(angle - before[0]) > far || Math.abs(bias - before[1]) > far;
      if (jumps) context.moveTo(x(angle / this.unit), y(bias / this.unit));
      else context.lineTo(x(angle / this.unit), y(bias / this.unit));
    });
    context.stroke();
  }
}

function drawCross(context, x, y, colour) {
  for (const [wide, style] of [
    [4.5, "#ffffff"],
    [2.5, colour],
  ]) {
    context.strokeStyle = style;
    context.lineWidth = wide;
    context.beginPath();
    for (const side of [-1, 1]) {
      context.moveTo(x - 4, y - 4 * side);
      context.lineTo(x + 4, y + 4 * side);
    }
    context.stroke();
  }
}

// Numbers from 0 to `most`, stored in two bytes each.
function unpack(text, most) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Float64Array.from(
    { length: bytes.length / 2 },
    (_, i) => ((bytes[2 * i] + 256 * bytes[2 * i + 1]) / 65535) * most,
  );
}

// How many values are smaller, for each value.
function ranks(values) {
  const sorted = Float64Array.from(values).sort();
  return values.map((value) => {
    let low = 0;
    let high = sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (sorted[middle] < value) low = middle + 1;
      else high = middle;
    }
    return low;
  });
}
