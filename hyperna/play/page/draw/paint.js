// Colours, canvases and numbers shared by all drawings.
export const TAU = 2 * Math.PI;
export const FONT = "13px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";
export const SMALL_FONT = "12px system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif";

const NAMES = ["paper", "card", "ink", "quiet", "line", "tint", "ball", "positive", "answer", "wrong", "good"];
const NEURONS = 8;

// The page's custom properties, read again when light turns to dark.
export class Palette {
  constructor() {
    this.read();
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    for (const name of NAMES) this[name] = get(name);
    this.neurons = Array.from({ length: NEURONS }, (_, i) => get(`neuron${i + 1}`));
    this.bytes = Object.fromEntries(NAMES.map((name) => [name, toBytes(this[name])]));
    this.neuronBytes = this.neurons.map(toBytes);
  }
}

// A colour "#rrggbb" as three bytes.
export function toBytes(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

export const mix = (a, b, share) => a.map((value, c) => value + share * (b[c] - value));

export const toColour = (bytes) => `rgb(${bytes.map(Math.round).join(" ")})`;

// Pixels of the screen per CSS pixel; more than two cannot be told from two.
export const pixelRatio = () => Math.min(window.devicePixelRatio || 1, 2);

// Give a canvas as many pixels as it covers on the screen; return its context in CSS pixels.
export function fit(canvas) {
  const ratio = pixelRatio();
  const width = canvas.clientWidth;
  const height = canvas.clientHeight;
  const wide = Math.round(width * ratio);
  const high = Math.round(height * ratio);
  if (canvas.width !== wide || canvas.height !== high) {
    canvas.width = wide;
    canvas.height = high;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return { context, width, height };
}

// The square of side 2 * reach around the origin, in the middle of the canvas, y upwards.
export function frame({ width, height }, reach) {
  return { x: width / 2, y: height / 2, unit: Math.min(width, height) / 2 / reach };
}

// Cividis, read off at nine places: equal steps look equal, in every kind of colour vision.
const STOPS = ["#00224e", "#1d3a6b", "#434e6c", "#61636f", "#7d7c78", "#9b9477", "#bcae6c", "#dec958", "#fee838"].map(
  toBytes,
);

export function heat(share) {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2);
  return mix(STOPS[low], STOPS[low + 1], place - low);
}

export function dot(context, x, y, radius, fill, edge, width = 1.5) {
  context.beginPath();
  context.arc(x, y, radius, 0, TAU);
  context.fillStyle = fill;
  context.fill();
  if (!edge) return;
  context.strokeStyle = edge;
  context.lineWidth = width;
  context.stroke();
}

// ---- numbers

const thousands = new Intl.NumberFormat("en");
export const whole = (value) => thousands.format(Math.round(value));
export const percent = (share, digits = 1) => `${share === 0 ? 0 : (100 * share).toFixed(digits)} %`;
export const counted = (count, noun) => `${whole(count)} ${noun}${Math.round(count) === 1 ? "" : "s"}`;

export function short(value) {
  if (value >= 1e6) return `${+(value / 1e6).toPrecision(3)} M`;
  return value >= 1e4 ? `${+(value / 1e3).toPrecision(3)} k` : whole(value);
}

// Three digits, more where there are more before the point.
export function digits(value) {
  if (value >= 100) return whole(value);
  return value >= 10 ? value.toFixed(1) : value.toFixed(2);
}

// A number to the second digit of a standard error.
export function asExactAs(error, value) {
  const decimals = error > 0 ? Math.max(0, 1 - Math.floor(Math.log10(error))) : 0;
  const format = new Intl.NumberFormat("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
  return format.format(value);
}

// A mean with its standard error.
export const withError = (mean, error) => `${asExactAs(error, mean)} ± ${asExactAs(error, error)}`;

// Powers of ten from low to high.
export function decades(low, high) {
  const found = [];
  for (let power = 1; power <= high * 1.0001; power *= 10) if (power >= low * 0.9999) found.push(power);
  return found;
}
