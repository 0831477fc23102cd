// Fitness over time, the landscape of one neuron, and the race of laws.
import { TAU, fit, heat, percent, whole } from "./paint.js";

const FONT = "12px system-ui, sans-serif";

function logTicks(low, high) {
  const found = [];
  for (let power = 1; power <= high * 1.0001; power *= 10) if (power >= low * 0.9999) found.push(power);
  return found;
}

const shortNumber = (value) => {
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  return value >= 1e4 ? `${+(value / 1e3).toPrecision(3)} k` : whole(value);
};

export function drawHistory(canvas, palette, search) {
  const { context, width, height } = fit(canvas);
  const left = 46, right = width - 12, top = 10, bottom = height - 34;
  const points = search.history, last = Math.max(search.evaluations, 10);
  const lowest = Math.min(...points.map(([, share]) => share));
  const base = Math.floor(Math.min(lowest, 0.9) * 10) / 10;
  const x = (evaluation) => left + (Math.log(evaluation) / Math.log(last)) * (right - left);
  const y = (share) => bottom - ((share - base) / (1 - base)) * (bottom - top);
  context.clearRect(0, 0, width, height);
  context.font = FONT;
  context.fillStyle = palette.quiet;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const step = 1 - base > 0.5 ? 0.2 : 0.1;
  for (let share = 1; share > base - 1e-9; share -= step) {
    context.beginPath();
    context.moveTo(left, y(share));
    context.lineTo(right, y(share));
    context.stroke();
    context.fillText(share.toFixed(1), left - 6, y(share));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  const ticks = logTicks(1, last);
  for (const tick of ticks) context.fillText(shortNumber(tick), x(tick), bottom + 4);
  context.fillText("evaluations", (left + right) / 2, bottom + 18);
  context.strokeStyle = palette.positive;
  context.lineWidth = 2;
  context.beginPath();
  points.forEach(([evaluation, share], i) => {
    if (i) context.lineTo(x(evaluation), y(points[i - 1][1]));
    if (i) context.lineTo(x(evaluation), y(share));
    else context.moveTo(x(evaluation), y(share));
  });
  const end = points[points.length - 1][1];
  context.lineTo(x(search.evaluations), y(end));
  context.stroke();
  context.fillStyle = palette.wrong;
  context.beginPath();
  context.arc(x(search.evaluations), y(end), 4.5, 0, TAU);
  context.fill();
}

// All states of one neuron, coloured by fitness or by the exact expected remaining time.
export class Landscape {
  constructor(data, resolution) {
    this.data = data;
    this.resolution = resolution;
    this.images = { fitness: this.paint(data.scores, (v) => v) };
    const flat = data.scores.flat();
    this.range = { fitness: [Math.min(...flat), data.best] };
    if (data.remaining) {
      const finite = data.remaining.flat().filter((v) => v !== null && v > 0);
      this.range.remaining = [Math.min(...finite), Math.max(...finite)];
      // By rank, because a few states near the optimum would take all of a linear scale.
      const sorted = Float64Array.from(finite).sort();
      const rank = (v) => {
        let low = 0, high = sorted.length;
        while (low < high) {
          const middle = (low + high) >> 1;
          if (sorted[middle] < v) low = middle + 1;
          else high = middle;
        }
        return low;
      };
      this.images.remaining = this.paint(data.remaining, (v) => (v === null ? null : -rank(v)));
    }
  }

  paint(table, value) {
    const canvas = document.createElement("canvas");
    canvas.width = table.length;
    canvas.height = table[0].length;
    const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
    const numbers = table.map((row) => row.map(value));
    const known = numbers.flat().filter((v) => v !== null), low = Math.min(...known), high = Math.max(...known);
    numbers.forEach((row, i) => row.forEach((number, j) => {
      const place = 4 * ((canvas.height - 1 - j) * canvas.width + i);
      image.data.set(number === null ? [120, 20, 20] : heat((number - low) / (high - low || 1)), place);
      image.data[place + 3] = 255;
    }));
    context.putImageData(image, 0, 0);
    return canvas;
  }

  at(genome, unit) {
    const i = Math.round(genome[0] / unit) % this.resolution;
    const j = Math.min(Math.round(genome[1] / unit), this.resolution);
    return { i, j, remaining: this.data.remaining ? this.data.remaining[i][j] : undefined };
  }

  draw(canvas, palette, search, kind) {
    const { context, width, height } = fit(canvas);
    const left = 40, right = width - 8, top = 8, bottom = height - 34, r = this.resolution;
    const x = (angle) => left + ((angle + 0.5) / r) * (right - left);
    const y = (bias) => bottom - ((bias + 0.5) / (r + 1)) * (bottom - top);
    context.clearRect(0, 0, width, height);
    context.imageSmoothingEnabled = false;
    context.drawImage(this.images[kind] ?? this.images.fitness, left, top, right - left, bottom - top);
    context.font = FONT;
    context.fillStyle = palette.quiet;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const degrees of [0, 90, 180, 270]) context.fillText(`${degrees}°`, x((degrees / 360) * r) + (degrees ? 0 : 4), bottom + 4);
    context.fillText("angle", (left + right) / 2, bottom + 18);
    context.textAlign = "right";
    context.textBaseline = "middle";
    for (const bias of [-1, 0, 1]) context.fillText(bias === 0 ? "bias 0" : String(bias), left - 4, y(((bias + 1) / 2) * r));
    const unit = search.task.unit;
    context.strokeStyle = "#ffffff";
    context.lineWidth = 1.2;
    context.beginPath();
    search.path.forEach(([angle, bias], i) => {
      const before = search.path[i - 1];
      const jump = !before || Math.abs(angle - before[0]) > (r * unit) / 2 || Math.abs(bias - before[1]) > (r * unit) / 2;
      if (jump) context.moveTo(x(angle / unit), y(bias / unit));
      else context.lineTo(x(angle / unit), y(bias / unit));
    });
    context.stroke();
    context.lineWidth = 2;
    for (const [i, j] of this.data.local) {
      context.strokeStyle = palette.wrong;
      context.beginPath();
      for (const s of [-1, 1]) {
        context.moveTo(x(i) - 4, y(j) - 4 * s);
        context.lineTo(x(i) + 4, y(j) + 4 * s);
      }
      context.stroke();
    }
    for (const [i, j] of this.data.global.slice(0, 400)) dot(context, x(i), y(j), 4, "#ffffff", "#000000");
    dot(context, x(search.genome[0] / unit), y(search.genome[1] / unit), 6, palette.wrong, "#ffffff");
  }
}

function dot(context, x, y, radius, fill, edge) {
  context.beginPath();
  context.arc(x, y, radius, 0, TAU);
  context.fillStyle = fill;
  context.strokeStyle = edge;
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
}

const BINS = 48;

// Histograms of the runtimes of several laws, one below the other, on one logarithmic axis.
export function drawRace(canvas, palette, lanes) {
  const { context, width, height } = fit(canvas);
  context.clearRect(0, 0, width, height);
  const names = Object.keys(lanes);
  const all = names.flatMap((name) => lanes[name].evaluations);
  if (!all.length) return;
  const most = all.reduce((high, v) => Math.max(high, v), 10), high = Math.log10(most);
  const left = 8, right = width - 8, each = (height - 24) / names.length;
  context.font = FONT;
  names.forEach((name, lane) => {
    const bottom = (lane + 1) * each, top = lane * each + 20, { evaluations, success } = lanes[name];
    const counts = new Int32Array(BINS), failed = new Int32Array(BINS);
    evaluations.forEach((v, i) => {
      const bin = Math.min(BINS - 1, Math.floor((Math.log10(v) / high) * BINS));
      (success[i] ? counts : failed)[bin] += 1;
    });
    const tallest = Math.max(1, ...counts.map((c, i) => c + failed[i]));
    const wide = (right - left) / BINS;
    for (let bin = 0; bin < BINS; bin += 1) {
      const x = left + bin * wide, good = (counts[bin] / tallest) * (bottom - top);
      const bad = (failed[bin] / tallest) * (bottom - top);
      context.fillStyle = palette.neurons[lane % 8];
      context.fillRect(x, bottom - good, wide - 1, good);
      context.fillStyle = palette.wrong;
      context.fillRect(x, bottom - good - bad, wide - 1, bad);
    }
    context.strokeStyle = palette.line;
    context.beginPath();
    context.moveTo(left, bottom + 0.5);
    context.lineTo(right, bottom + 0.5);
    context.stroke();
    context.fillStyle = palette.ink;
    context.textAlign = "left";
    context.textBaseline = "top";
    context.fillText(raceText(name, lanes[name]), left, lane * each + 4, right - left);
  });
  context.fillStyle = palette.quiet;
  context.textBaseline = "bottom";
  context.textAlign = "center";
  for (const tick of logTicks(1, most)) {
    const x = left + (Math.log10(tick) / high) * (right - left);
    context.fillText(shortNumber(tick), Math.min(Math.max(x, left + 6), right - 14), height - 2);
  }
}

export function raceText(name, { evaluations, success }) {
  const runs = evaluations.length;
  if (!runs) return `${name}: waiting`;
  const sum = evaluations.reduce((total, v) => total + v, 0), mean = sum / runs;
  const spread = Math.sqrt(evaluations.reduce((total, v) => total + (v - mean) ** 2, 0) / Math.max(runs - 1, 1) / runs);
  const solved = success.reduce((total, v) => total + v, 0) / runs;
  const sorted = [...evaluations].sort((a, b) => a - b), median = sorted[Math.floor(runs / 2)];
  const error = mean < 1e4 ? spread.toFixed(spread < 10 ? 1 : 0) : shortNumber(spread);
  return `${name}: mean ${shortNumber(mean)} ± ${error}, median ${shortNumber(median)}; ${percent(solved, 0)} of ${whole(runs)} runs succeed`;
}
