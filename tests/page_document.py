"""The page's own document in Node, as far as its scripts use it: no style, no layout.

The elements are those of ``index.html``; canvases write down what is drawn on them.
"""

import json
from html.parser import HTMLParser

from page_canvas import RECORDER
from page_in_node import PAGE

_EMPTY = {"meta", "link", "input", "br", "circle", "path"}


class _Tree(HTMLParser):
    """Nested lists [tag, attributes, children]; a child may be a text."""

    def __init__(self):
        super().__init__()
        self.root = ["html", {}, []]
        self.open = [self.root]

    def handle_starttag(self, tag, attrs):
        made = [tag, {name: value or "" for name, value in attrs}, []]
        self.open[-1][2].append(made)
        if tag not in _EMPTY:
            self.open.append(made)

    def handle_startendtag(self, tag, attrs):
        self.open[-1][2].append([tag, {name: value or "" for name, value in attrs}, []])

    def handle_endtag(self, tag):
        if tag not in _EMPTY and tag != "html":
            assert self.open.pop()[0] == tag

    def handle_data(self, data):
        self.open[-1][2].append(data)


def _tree():
    parser = _Tree()
    parser.feed((PAGE / "index.html").read_text(encoding="utf-8"))
    return parser.root


PAGE_DOCUMENT = (
    RECORDER
    + f"const TREE = {json.dumps(_tree())};"
    + r"""
const WRITTEN = ["id", "name", "type", "value", "min", "max", "title"];
class Node {
  constructor(tag) {
    Object.assign(this, { tag, own: [], attributes: {}, dataset: {}, listeners: {}, hidden: false,
      disabled: false, checked: false, parent: null, kept: undefined,
      style: { setProperty: (name, value) => { this.colour = value; } } });
    if (tag === "canvas") Object.assign(this, { clientWidth: 300, clientHeight: 200, width: 0,
      height: 0, context: new Recorder() });
  }
  getContext() { return this.context; }
  getBoundingClientRect() { return { left: 0, top: 0, width: 300, height: 200 }; }
  setPointerCapture() {}
  get children() { return this.own.filter((one) => one instanceof Node); }
  get all() { return this.children.flatMap((one) => [one, ...one.all]); }
  get textContent() { return this.own.map((one) => one.textContent ?? one).join(""); }
  set textContent(text) { this.own = [String(text)]; }
  get options() {
    return this.tag === "select" ? this.all.filter(({ tag }) => tag === "option") : undefined;
  }
  get value() { return this.kept ?? (this.tag === "select" ? this.options[0]?.value : ""); }
  set value(value) {
    const text = String(value);
    if (this.tag === "select" && !this.options.some((one) => one.value === text)) this.kept = "";
    else this.kept = text;
  }
  append(...more) {
    for (const one of more) if (one instanceof Node) one.parent = this;
    this.own.push(...more);
  }
  add(one) { this.append(one); }
  prepend(one) { this.own.unshift(one); }
  replaceChildren(...more) { this.own = []; this.kept = this.tag === "select" ? undefined :
    this.kept; this.append(...more); }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  removeAttribute(name) { delete this.attributes[name]; }
  toggleAttribute(name, on) {
    if (on) this.attributes[name] = "";
    else delete this.attributes[name];
  }
  addEventListener(name, act) { (this.listeners[name] ??= []).push(act); }
  fire(name, more = {}) {
    const event = { target: this, preventDefault: () => {}, stopPropagation: () => {}, ...more };
    for (const act of this.listeners[name] ?? []) act(event);
  }
  click() { this.fire("click"); }
  contains(one) { return this === one || this.all.includes(one); }
  closest(query) {
    const tags = query.split(", ");
    for (let one = this; one; one = one.parent) if (tags.includes(one.tag)) return one;
    return null;
  }
  focus() { document.activeElement = this; }
  scrollIntoView() {}
  get hash() { return this.href; }
  matches(query) {
    const [, tag, name, value, checked] =
      /^(\w*)(?:\[([\w-]+)(?:=(\w+))?\])?(:checked)?$/.exec(query);
    if (tag && this.tag !== tag) return false;
    if (checked && !this.checked) return false;
    if (!name) return true;
    const own = name.startsWith("data-") ? this.dataset[name.slice(5)] : this[name];
    return value === undefined ? own !== undefined : own === value;
  }
  querySelectorAll(query) { return this.all.filter((one) => one.matches(query)); }
  querySelector(query) { return this.querySelectorAll(query)[0] ?? null; }
}
function built([tag, attributes, children]) {
  const made = new Node(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("data-")) made.dataset[name.slice(5)] = value;
    else if (["hidden", "checked", "disabled"].includes(name)) made[name] = true;
    else if (WRITTEN.includes(name)) made[name] = value;
    else made.attributes[name] = value;
  }
  made.append(...children.map((one) => (typeof one === "string" ? one : built(one))));
  return made;
}
globalThis.Option = class extends Node {
  constructor(text, value) { super("option"); this.textContent = text; this.value = value; }
};
const root = built(TREE);
const byId = (id) => root.all.find((one) => one.id === id);
const system = { dark: false, still: false, kept: {}, heard: {} };
const body = root.all.find(({ tag }) => tag === "body");
globalThis.document = Object.assign(new Node("document"), { documentElement: root, body,
  activeElement: null, createElement: (tag) => new Node(tag), getElementById: (id) => byId(id),
  querySelectorAll: (query) => root.querySelectorAll(query),
  querySelector: (query) => root.querySelector(query) });
globalThis.window = Object.assign(new Node("window"), { devicePixelRatio: 1 });
globalThis.location = { hash: "", href: "the address" };
globalThis.history = { replaceState: (state, title, hash) => { location.hash = hash; } };
globalThis.localStorage = { getItem: (name) => system.kept[name] ?? null,
  setItem: (name, value) => { system.kept[name] = value; },
  removeItem: (name) => { delete system.kept[name]; } };
globalThis.matchMedia = (query) => ({ matches: query.includes("dark") ? system.dark : system.still,
  addEventListener: (name, act) => { system.heard[query] = act; } });
globalThis.getComputedStyle = () => ({ getPropertyValue: (name) =>
  "#" + (root.dataset.theme === "dark" ? "1" : "2") + "0304" + name.length.toString(16) });
globalThis.requestAnimationFrame = () => 0;
const clipboard = [];
Object.defineProperty(globalThis, "navigator", { value: { hardwareConcurrency: 2,
  clipboard: { writeText: async (text) => { clipboard.push(text); } } }, configurable: true });
const { App } = modules["app/app.js"];
const asked = [], answers = {};
globalThis.fetch = async (path, { body: text }) => {
  const what = path.replace("/api/", ""), question = JSON.parse(text);
  asked.push([what, question]);
  const found = answers[what]?.(question);
  return { ok: found !== undefined && !found.error,
    json: async () => found ?? { error: `no answer to ${what}` } };
};
const pageOf = async (hash = "#", served = false, changed = {}) => {
  const app = new App({ ...facts, served, start: "#", home: "", ...changed }, "");
  await app.open(hash);
  return app;
};
let now = 1000;
const pass = (app, milliseconds = 20) => { now += milliseconds; app.tick(now); };
const settled = () => new Promise((resolve) => { setTimeout(resolve, 5); });
"""
)
