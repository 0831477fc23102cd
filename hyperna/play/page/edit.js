// Arcs by dragging, points by clicking, the sphere by turning it; all of it by keyboard too.
import { element } from "./ask.js";
import { TAU } from "./paint.js";
import { frame, inArcs } from "./views.js";

const RING = [1.1, 1.29], SHORTEST = 3;
const CLOSE = 16;

// Arcs in whole degrees, without those that are too short; an end may pass 360.
export function tidy(arcs) {
  return arcs
    .map(([start, end]) => {
      const first = ((Math.round(start) % 360) + 360) % 360;
      return [first, first + Math.min(Math.round(end - start), 357)];
    })
    .filter(([start, end]) => end - start >= SHORTEST)
    .sort((a, b) => a[0] - b[0]);
}

export class Editor {
  // `app` has: setting, view, change(part of the setting, preview), say(text).
  constructor(app) {
    this.app = app;
    this.canvas = element("stage");
    this.cursor = null;
    this.drag = null;
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => this.up());
    this.canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => { this.cursor = null; });
  }

  get kind() {
    const { task } = this.app;
    if (!task) return "";
    if (task.dim === 3) return "sphere";
    return task.fitness.turn ? "ring" : this.app.setting.problem === "points" ? "points" : "";
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = frame({ width: box.width, height: box.height }, this.kind === "points" ? 1.04 : undefined);
    return { x: (event.clientX - box.left - at.x) / at.unit, y: (at.y - event.clientY + box.top) / at.unit, unit: at.unit };
  }

  down(event) {
    const spot = this.place(event);
    this.canvas.setPointerCapture(event.pointerId);
    if (this.kind === "sphere") {
      const { around, up } = this.app.view;
      this.drag = { kind: "sphere", from: spot, around, up };
    } else if (this.kind === "points") this.point(spot.x, spot.y, event.shiftKey || event.button === 2);
    else if (this.kind === "ring") this.grab(spot);
  }

  // Take hold of the nearest end of an arc, or begin a new arc on an empty part of the ring.
  grab({ x, y, unit }) {
    const radius = Math.hypot(x, y), degrees = ((Math.atan2(y, x) / TAU) * 360 + 360) % 360;
    if (radius < RING[0] || radius > RING[1]) return;
    const arcs = this.app.view.arcs.map(([start, end]) => [start * 360, end * 360]);
    let best = null;
    arcs.forEach((arc, i) => arc.forEach((end, side) => {
      const away = (Math.abs(((degrees - end + 540) % 360) - 180) / 360) * TAU * radius * unit;
      if (away < CLOSE && (!best || away < best.away)) best = { i, side, away };
    }));
    if (!best) {
      if (inArcs(this.app.view.arcs, degrees / 360)) return;
      arcs.push([degrees, degrees]);
      best = { i: arcs.length - 1, side: null };
    }
    this.drag = { kind: "ring", arcs, ...best, from: degrees, last: degrees, moved: 0 };
  }

  move(event) {
    if (!this.drag) return;
    const spot = this.place(event);
    if (this.drag.kind === "sphere") {
      const { from, around, up } = this.drag;
      this.app.view.turn(around - (spot.x - from.x), up - (spot.y - from.y));
      this.app.redraw();
      return;
    }
    const degrees = ((Math.atan2(spot.y, spot.x) / TAU) * 360 + 360) % 360, { drag } = this;
    const change = ((degrees - drag.last + 540) % 360) - 180;
    drag.last = degrees;
    drag.moved += change;
    // A new arc grows to the side it is first dragged to.
    if (drag.side === null && Math.abs(drag.moved) > 1) drag.side = drag.moved > 0 ? 1 : 0;
    if (drag.side === null) return;
    const arc = drag.arcs[drag.i];
    arc[drag.side] += change;
    if (arc[1] < arc[0]) arc[drag.side] = arc[1 - drag.side];
    this.app.view.arcs = drag.arcs.map(([start, end]) => [start / 360, end / 360]);
    this.app.redraw();
  }

  up() {
    const { drag } = this;
    this.drag = null;
    if (drag?.kind !== "ring") return;
    const arcs = tidy(drag.arcs);
    if (arcs.length) this.app.change({ problem: "custom_arcs", arcs });
    else {
      this.app.say("At least one arc must stay: the problem is as it was.");
      this.app.change({});
    }
  }

  // Add a point, or remove the one that is there.
  point(x, y, other = false) {
    if (Math.max(Math.abs(x), Math.abs(y)) > 1) return;
    const { points } = this.app.setting;
    const reach = 0.045;
    const near = points.findIndex(([px, py]) => Math.hypot(px - x, py - y) < reach);
    const chosen = Number(document.querySelector("[name=colour]:checked").value);
    const label = other ? 1 - chosen : chosen;
    if (near >= 0) {
      if (points.length > 1) this.app.change({ points: points.filter((_, i) => i !== near) });
    } else if (points.length < 400) {
      this.app.change({ points: [...points, [Math.round(x * 1000) / 1000, Math.round(y * 1000) / 1000, label]] });
    } else this.app.say("There is room for 400 points.");
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (this.kind === "sphere" && move) {
      const { view } = this.app;
      view.turn(view.around - 0.1 * move[0], view.up - 0.1 * move[1]);
    } else if (this.kind === "points" && move) {
      this.cursor ??= [0, 0];
      this.cursor = this.cursor.map((value, k) => Math.min(1, Math.max(-1, value + 0.05 * move[k])));
    } else if (this.kind === "points" && event.key === "Enter") {
      this.cursor ??= [0, 0];
      this.point(...this.cursor, event.shiftKey);
    } else return;
    event.preventDefault();
    this.app.redraw();
  }

  // The keyboard's cross.
  draw(context, size, palette) {
    if (!this.cursor || this.kind !== "points") return;
    const at = frame(size, 1.04), [x, y] = [at.x + this.cursor[0] * at.unit, at.y - this.cursor[1] * at.unit];
    context.strokeStyle = palette.ink;
    context.lineWidth = 2;
    context.beginPath();
    context.moveTo(x - 12, y);
    context.lineTo(x + 12, y);
    context.moveTo(x, y - 12);
    context.lineTo(x, y + 12);
    context.stroke();
  }
}

// The list of arcs as numbers, for those who do not drag.
export function listArcs(arcs, change) {
  const rows = arcs.map(([start, end], i) => {
    const row = document.createElement("div");
    row.className = "arc";
    [["from", start], ["to", end]].forEach(([word, value], side) => {
      const label = document.createElement("label"), input = document.createElement("input");
      label.textContent = word;
      Object.assign(input, { type: "number", min: 0, max: 719, value: Math.round(value * 100) / 100 });
      input.setAttribute("aria-label", `Arc ${i + 1} ${word}, degrees`);
      input.addEventListener("change", () => {
        const next = arcs.map((arc) => [...arc]);
        next[i][side] = Number(input.value);
        if (next[i][1] <= next[i][0]) next[i][1] += 360;
        change(tidy(next));
      });
      label.append(input);
      row.append(label);
    });
    const remove = document.createElement("button");
    remove.type = "button";
    remove.textContent = "×";
    remove.setAttribute("aria-label", `Remove arc ${i + 1}`);
    remove.disabled = arcs.length === 1;
    remove.addEventListener("click", () => change(arcs.filter((_, k) => k !== i)));
    row.append(remove);
    return row;
  });
  element("arcs").replaceChildren(...rows);
}
