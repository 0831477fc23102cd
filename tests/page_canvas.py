"""A canvas that writes down what is drawn on it, and what lies where, for pages in Node.

Every entry has its paths as polygons in pixels, arcs cut into short pieces, and the pen's state.
"""

import numpy as np

RECORDER = """
const TAU = 2 * Math.PI;
const STYLE = ["fillStyle", "strokeStyle", "lineWidth", "globalAlpha", "font", "textAlign",
  "textBaseline"];
class Recorder {
  constructor() {
    Object.assign(this, { fillStyle: "", strokeStyle: "", lineWidth: 1, globalAlpha: 1, font: "",
      textAlign: "start", textBaseline: "alphabetic", dash: [], at: [0, 0], turned: 0, log: [],
      stack: [], paths: [], arcs: [], clips: 0 });
  }
  save() {
    const kept = { dash: this.dash, at: this.at, turned: this.turned, clips: this.clips };
    for (const name of STYLE) kept[name] = this[name];
    this.stack.push(kept);
  }
  restore() { Object.assign(this, this.stack.pop()); }
  translate(x, y) { this.at = [this.at[0] + x, this.at[1] + y]; }
  rotate(angle) { this.turned += angle; }
  setTransform() {}
  clearRect() {}
  setLineDash(dash) { this.dash = dash; }
  note(op, more) {
    const { dash, turned, clips } = this, style = {};
    for (const name of STYLE) style[name] = this[name];
    this.log.push({ op, ...style, dash: dash.length > 0, turned, clips, ...more });
  }
  place(x, y) { return [x + this.at[0], y + this.at[1]]; }
  beginPath() { this.paths = []; this.arcs = []; }
  moveTo(x, y) { this.paths.push([this.place(x, y)]); }
  lineTo(x, y) {
    if (this.paths.length) this.paths.at(-1).push(this.place(x, y));
    else this.moveTo(x, y);
  }
  closePath() { if (this.paths.length) this.paths.at(-1).push(this.paths.at(-1)[0]); }
  rect(x, y, w, h) {
    this.moveTo(x, y); this.lineTo(x + w, y); this.lineTo(x + w, y + h); this.lineTo(x, y + h);
    this.closePath();
  }
  arc(x, y, radius, start, end, counter = false) {
    if (radius < 0) throw new Error("a negative radius");
    let sweep = counter ? start - end : end - start;
    sweep = sweep >= TAU ? TAU : ((sweep % TAU) + TAU) % TAU;
    this.arcs.push([...this.place(x, y), radius, start, sweep]);
    const pieces = Math.ceil(1 + Math.min(25, Math.max(radius, 3)) * sweep);
    for (let k = 0; k <= pieces; k += 1) {
      const angle = start + ((counter ? -1 : 1) * sweep * k) / pieces;
      this.lineTo(x + radius * Math.cos(angle), y + radius * Math.sin(angle));
    }
  }
  clip() { this.clips += 1; }
  get drawn() { return { paths: this.paths.map((one) => [...one]), arcs: [...this.arcs] }; }
  fill() { this.note("fill", { ...this.drawn, colour: this.fillStyle }); }
  stroke() { this.note("stroke", { ...this.drawn, colour: this.strokeStyle }); }
  boxed(op, x, y, w, h, colour) {
    this.beginPath();
    this.rect(x, y, w, h);
    this.note(op, { ...this.drawn, colour });
    this.beginPath();
  }
  fillRect(x, y, w, h) { this.boxed("fill", x, y, w, h, this.fillStyle); }
  strokeRect(x, y, w, h) { this.boxed("stroke", x, y, w, h, this.strokeStyle); }
  fillText(text, x, y) {
    this.note("text", { text, place: this.place(x, y), colour: this.fillStyle });
  }
  measureText(text) { return { width: 7 * text.length }; }
  drawImage(image, x, y, w, h) {
    this.note("image", { box: [...this.place(x, y), w, h], image: image.getContext?.("2d").image });
  }
  createImageData(w, h) { return { width: w, height: h, data: new Uint8ClampedArray(4 * w * h) }; }
  putImageData({ width, height, data }) { this.image = { width, height, data: [...data] }; }
}
function sheet(clientWidth, clientHeight) {
  const context = new Recorder();
  return { clientWidth, clientHeight, width: 0, height: 0, context, getContext: () => context };
}
globalThis.window = { devicePixelRatio: 1 };
globalThis.document = { createElement: () => sheet(0, 0) };
const byte = (k) => [20 * k, 255 - 20 * k, k];
const PALETTE = { neurons: Array.from({ length: 8 }, (_, i) => `neuron${i}`), bytes: {},
  neuronBytes: Array.from({ length: 8 }, (_, i) => [200 - i, 3 * i, 7 * i]) };
["paper", "card", "ink", "quiet", "line", "tint", "ball", "positive", "answer", "wrong", "good"]
  .forEach((name, k) => { PALETTE[name] = name; PALETTE.bytes[name] = byte(k); });
"""

# Elements of a page as far as scenes and forms use them; each id has its element.
DOCUMENT = """
class Element {
  constructor(tag, id = "") {
    Object.assign(this, { tag, id, own: "", children: [], dataset: {}, attributes: {},
      hidden: false, listeners: {}, value: "", style: { setProperty: () => {} } });
  }
  get textContent() {
    return this.own + this.children.map((one) => one.textContent ?? one).join("");
  }
  set textContent(text) { this.own = String(text); this.children = []; }
  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.own = ""; this.children = more; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  removeAttribute(name) { delete this.attributes[name]; }
  addEventListener(name, act) { (this.listeners[name] ??= []).push(act); }
  fire(name, event = {}) { for (const act of this.listeners[name] ?? []) act(event); }
  click() { this.fire("click"); }
  contains() { return false; }
  focus() {}
  get all() { return this.children.flatMap((one) => one.all ? [one, ...one.all] : []); }
  querySelector(tag) { return this.all.find((one) => one.tag === tag); }
  querySelectorAll(tag) { return this.all.filter((one) => one.tag === tag); }
}
globalThis.Option = class extends Element {
  constructor(text, value) { super("option"); Object.assign(this, { own: text, value }); }
};
const elements = {};
const byId = (id) => (elements[id] ??= new Element("div", id));
const groups = {};
globalThis.document = { createElement: (tag) => new Element(tag), getElementById: byId,
  querySelectorAll: (query) => groups[query] ?? [], documentElement: new Element("html"),
  querySelector: (query) => (groups[query] ?? [])[0], activeElement: null };
"""


def inside(polygon, points):
    """Which points lie in a polygon (even-odd rule)."""
    x0, y0 = np.asarray(polygon, dtype=float).T[:, :, None]
    x1, y1 = np.roll(x0, -1, axis=0), np.roll(y0, -1, axis=0)
    x, y = np.asarray(points, dtype=float).T
    rise = np.where(y0 == y1, 1, y1 - y0)
    crossed = ((y0 > y) != (y1 > y)) & (x < x0 + (y - y0) / rise * (x1 - x0))
    return crossed.sum(axis=0) % 2 == 1


def colours_at(log, points, colours=None):
    """The colour that was filled last at each point; of these colours if they are given."""
    found = np.full(len(points), "", dtype=object)
    for entry in log:
        if entry["op"] != "fill" or (colours and entry["colour"] not in colours):
            continue
        where = np.zeros(len(points), dtype=bool)
        for path in entry["paths"]:
            where ^= inside(path, points)
        found[where] = entry["colour"]
    return found


def texts(log):
    return [entry for entry in log if entry["op"] == "text"]


def strokes(log, colour=None):
    return [e for e in log if e["op"] == "stroke" and colour in (None, e["colour"])]


def dots(log, colour=None):
    """Filled full circles as (x, y, radius, colour)."""
    found = []
    for entry in log:
        if entry["op"] == "fill" and len(entry["arcs"]) == 1 and len(entry["paths"]) == 1:
            x, y, radius, _, sweep = entry["arcs"][0]
            if sweep > 6.28 and colour in (None, entry["colour"]):
                found.append((x, y, radius, entry["colour"]))
    return found
