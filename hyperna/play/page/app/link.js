// A scene, its setting and a moment of its run as the part of the address behind "#", and back.
// What a link may hold besides the setting.
const OTHERS = ["scene", "at", "again", "lanes", "table", "terms", "theme", "bare"];

const write = (value) => (Array.isArray(value) ? value.map((row) => row.join("_")).join("~") : String(value));

function readWhole(name, text) {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new Error(`${name} must be a whole number, got “${text.slice(0, 40)}”`);
}

function readValue(name, text, facts) {
  const usual = facts.defaults[name];
  if (name in facts.rows) {
    const [width] = facts.rows[name];
    const rows = text === "" ? [] : text.split("~").map((row) => row.split("_").map(Number));
    if (rows.every((row) => row.length === width && row.every(Number.isFinite))) return rows;
    throw new Error(`${name} must be rows of ${width} numbers, got “${text.slice(0, 40)}”`);
  }
  if (typeof usual === "string") return text;
  if (typeof usual === "boolean") {
    if (text === "true" || text === "false") return text === "true";
    throw new Error(`${name} must be true or false, got “${text.slice(0, 40)}”`);
  }
  return readWhole(name, text);
}

// { scene, setting (only what differs from the scene's), at, again, ... }; throws an error that names what is wrong.
export function readLink(hash, facts) {
  const found = {
    scene: facts.scenes[0],
    setting: {},
    at: 1,
    again: [],
    lanes: null,
    table: null,
    terms: null,
    theme: null,
    bare: false,
  };
  const parts = [...new URLSearchParams(hash.replace(/^#/, ""))];
  for (const [name, text] of parts) {
    if (name === "scene") {
      found.scene = facts.scenes.find(({ id }) => id === text);
      if (!found.scene)
        throw new Error(
          `scene must be one of ${facts.scenes.map(({ id }) => id).join(", ")}, got “${text.slice(0, 40)}”`,
        );
    } else if (name === "at" || name === "terms") found[name] = readWhole(name, text);
    else if (name === "again") found.again = text.split("_").map((one) => readWhole(name, one));
    else if (name === "lanes") found.lanes = text.split("_and_");
    else if (name === "table") {
      if (text !== "points" && !Object.hasOwn(facts.tables, text))
        throw new Error(`table must be one of ${Object.keys(facts.tables).join(", ")}, got “${text.slice(0, 40)}”`);
      found.table = text;
    } else if (name === "theme") {
      if (text !== "light" && text !== "dark")
        throw new Error(`theme must be light or dark, got “${text.slice(0, 40)}”`);
      found.theme = text;
    } else if (name === "bare") found.bare = true;
    else if (Object.hasOwn(facts.defaults, name)) found.setting[name] = readValue(name, text, facts);
    else throw new Error(`it has an unknown part “${name.slice(0, 40)}”`);
  }
  return found;
}

// `others`: what OTHERS names, left out where it says nothing.
export function writeLink(scene, setting, facts, others = {}) {
  const parts = new URLSearchParams({ scene: scene.id });
  const usual = { ...facts.defaults, ...scene.setting };
  for (const [name, value] of Object.entries(setting))
    if (write(value) !== write(usual[name])) parts.set(name, write(value));
  for (const name of OTHERS) if (others[name] !== undefined && others[name] !== null) parts.set(name, others[name]);
  return `#${parts}`;
}
