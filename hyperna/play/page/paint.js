// Colours and canvases shared by all drawings.
export const TAU = 2 * Math.PI;

// The page's custom properties, read again when light turns to dark.
export class Palette {
  constructor() {
    this.read();
  }

  read() {
    const style = getComputedStyle(document.documentElement);
    const get = (name) => style.getPropertyValue(`--${name}`).trim();
    for (const name of ["paper", "ink", "quiet", "line", "tint", "positive", "answer", "wrong"]) {
      this[name] = get(name);
    }
    this.neurons = [1, 2, 3, 4, 5, 6, 7, 8].map((i) => get(`neuron${i}`));
    this.bytes = Object.fromEntries(
      ["paper", "tint", "positive", "answer", "wrong"].map((name) => [name, toBytes(this[name])]),
    );
  }
}

export function toBytes(hex) {
  const value = parseInt(hex.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// Give a canvas as many pixels as it covers on the screen; return its context in CSS pixels.
export function fit(canvas) {
  const ratio = Math.min(window.devicePixelRatio || 1, 2);
  const width = canvas.clientWidth, height = canvas.clientHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width, height };
}

// Cividis, read off at nine places: equal steps look equal, in every kind of colour vision.
const STOPS = ["#00224e", "#1d3a6b", "#434e6c", "#61636f", "#7d7c78", "#9b9477", "#bcae6c", "#dec958", "#fee838"]
  .map(toBytes);

export function heat(share) {
  const place = Math.min(Math.max(share, 0), 1) * (STOPS.length - 1);
  const low = Math.min(Math.floor(place), STOPS.length - 2), rest = place - low;
  return [0, 1, 2].map((c) => STOPS[low][c] + rest * (STOPS[low + 1][c] - STOPS[low][c]));
}

export const mix = (a, b, share) => a.map((value, c) => value + share * (b[c] - value));

const thousands = new Intl.NumberFormat("en");
export const whole = (value) => thousands.format(Math.round(value));
export const percent = (share, digits = 2) => `${(100 * share).toFixed(digits)} %`;
