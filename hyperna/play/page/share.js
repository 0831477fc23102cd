// A setting and a moment of its run as the part of the address behind "#", and back.
export const DEFAULTS = {
  problem: "two_quarters", dim: 2, k: 3, arcs: [[0, 60], [120, 240]], points: [], neurons: 2,
  neuron: "plain", output: "or", resolution: 120, mutation: "harmonic", bias: true, seed: 1, restarts: 0, stagnation: 0,
};
const ROWS = { arcs: 2, points: 3 };

const write = (value) => (Array.isArray(value) ? value.map((row) => row.join("_")).join("~") : String(value));

export function toHash(setting, at) {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(setting)) {
    if (write(value) !== write(DEFAULTS[name])) parts.set(name, write(value));
  }
  if (at > 1) parts.set("at", at);
  const text = parts.toString();
  return text ? `#${text}` : "#";
}

function read(name, text) {
  const usual = DEFAULTS[name];
  if (name in ROWS) {
    const rows = text === "" ? [] : text.split("~").map((row) => row.split("_").map(Number));
    if (rows.every((row) => row.length === ROWS[name] && row.every(Number.isFinite))) return rows;
    throw new Error(`${name} must be rows of ${ROWS[name]} numbers, got “${text.slice(0, 40)}”`);
  }
  if (typeof usual === "string") return text;
  if (typeof usual === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new Error(`${name} must be true or false, got “${text.slice(0, 40)}”`);
  }
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number, got “${text.slice(0, 40)}”`);
}

// Throws an error that names what is wrong; the server checks the ranges.
export function fromHash(hash) {
  const setting = structuredClone(DEFAULTS);
  let at = 1;
  for (const [name, text] of new URLSearchParams(hash.replace(/^#/, ""))) {
    if (name === "at") {
      if (!/^\d{1,9}$/.test(text)) throw new Error(`at must be a number of evaluations, got “${text.slice(0, 40)}”`);
      at = Number(text);
    } else if (name in DEFAULTS) setting[name] = read(name, text);
    else throw new Error(`it has an unknown part “${name.slice(0, 40)}”`);
  }
  return { setting, at };
}
