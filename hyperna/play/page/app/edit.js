// Arcs by dragging, points by clicking, the sphere by turning it; all of it by keyboard too.
import { inArcs } from "../engine/arcs.js";
import { REACH } from "../draw/circle.js";
import { TAU, frame } from "../draw/paint.js";
import { PLANE_REACH } from "../draw/plane.js";
import { chosen, element, make } from "./dom.js";

const RING = [1.08, 1.3];
const SHORTEST = 3; // degrees
const CLOSE = 18; // pixels
const SAME_POINT = 0.045;

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
  constructor(app) {
    this.app = app;
    this.canvas = element("stage");
    this.cursor = null;
    this.drag = null;
    this.canvas.addEventListener("pointerdown", (event) => this.down(event));
    this.canvas.addEventListener("pointermove", (event) => this.move(event));
    for (const name of ["pointerup", "pointercancel"]) this.canvas.addEventListener(name, () => this.up());
    this.canvas.addEventListener("contextmenu", (event) => {
      if (this.kind === "points") event.preventDefault();
    });
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    this.canvas.addEventListener("blur", () => {
      this.cursor = null;
      this.app.redraw();
    });
  }

  // What can be done with the picture.
  get kind() {
    const { scene, setting, run } = this.app;
    if (scene?.kind !== "run") return "";
    if (setting.problem === "points") return scene.id === "draw" ? "points" : "";
    if (run.task?.dim === 3) return "sphere";
    return run.task?.fitness.turn && (scene.id === "draw" || setting.problem === "custom_arcs") ? "ring" : "";
  }

  place(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = frame({ width: box.width, height: box.height }, this.kind === "points" ? PLANE_REACH : REACH);
    return {
      x: (event.clientX - box.left - at.x) / at.unit,
      y: (at.y - event.clientY + box.top) / at.unit,
      unit: at.unit,
    };
  }

  down(event) {
    const spot = this.place(event);
    if (this.kind) this.canvas.setPointerCapture(event.pointerId);
    if (this.kind === "sphere") {
      const { around, up } = this.app.run.view;
      this.drag = { kind: "sphere", from: spot, around, up };
    } else if (this.kind === "points") this.point(spot.x, spot.y, event.shiftKey || event.button === 2);
    else if (this.kind === "ring") this.grab(spot);
  }

  // Take hold of the nearest end of an arc, or begin a new arc on an empty part of the ring.
  grab({ x, y, unit }) {
    const radius = Math.hypot(x, y);
    const degrees = ((Math.atan2(y, x) / TAU) * 360 + 360) % 360;
    if (radius < RING[0] || radius > RING[1]) return;
    const { view } = this.app.run;
    const arcs = view.arcs.map(([start, end]) => [start * 360, end * 360]);
    let best = null;
    arcs.forEach((arc, i) =>
      arc.forEach((end, side) => {
        const away = (Math.abs(((degrees - end + 540) % 360) - 180) / 360) * TAU * radius * unit;
        if (away < CLOSE && (!best || away < best.away)) best = { i, side, away };
      }),
    );
    if (!best) {
      if (inArcs(view.arcs, degrees / 360)) return;
      arcs.push([degrees, degrees]);
      best = { i: arcs.length - 1, side: null };
    }
    this.drag = { kind: "ring", arcs, ...best, last: degrees, moved: 0 };
  }

  move(event) {
    if (!this.drag) return;
    const spot = this.place(event);
    const { drag } = this;
    if (drag.kind === "sphere") {
      this.app.run.view.turn(drag.around - (spot.x - drag.from.x), drag.up - (spot.y - drag.from.y));
      this.app.redraw();
      return;
    }
    const degrees = ((Math.atan2(spot.y, spot.x) / TAU) * 360 + 360) % 360;
    const change = ((degrees - drag.last + 540) % 360) - 180;
    drag.last = degrees;
    drag.moved += change;
    // A new arc grows to the side it is first dragged to.
    if (drag.side === null && Math.abs(drag.moved) > 1) drag.side = drag.moved > 0 ? 1 : 0;
    if (drag.side === null) return;
    const arc = drag.arcs[drag.i];
    arc[drag.side] += change;
    if (arc[1] < arc[0]) arc[drag.side] = arc[1 - drag.side];
    this.app.run.view.arcs = drag.arcs.map(([start, end]) => [start / 360, end / 360]);
    this.app.redraw();
  }

  up() {
    const { drag } = this;
    this.drag = null;
    if (drag?.kind !== "ring" || !drag.moved) return;
    const arcs = tidy(drag.arcs);
    if (arcs.length) this.app.setArcs(arcs);
    else {
      this.app.setArcs(this.app.setting.arcs);
      this.app.say("At least one arc must stay.");
    }
  }

  // Add a point, or remove the one that is there.
  point(x, y, other = false) {
    if (Math.max(Math.abs(x), Math.abs(y)) > 1) return;
    const { points } = this.app.setting;
    const most = this.app.facts.rows.points[1];
    const near = points.findIndex(([px, py]) => Math.hypot(px - x, py - y) < SAME_POINT);
    const colour = Number(chosen("colour"));
    const label = other ? 1 - colour : colour;
    const round = (value) => Math.round(value * 1000) / 1000;
    if (near >= 0) this.app.change({ points: points.filter((_, i) => i !== near) }, true);
    else if (points.length < most) this.app.change({ points: [...points, [round(x), round(y), label]] }, true);
    else this.app.say(`There is room for ${most} points.`);
  }

  key(event) {
    const moves = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const move = moves[event.key];
    if (this.kind === "sphere" && move) {
      const { view } = this.app.run;
      view.turn(view.around - 0.1 * move[0], view.up - 0.1 * move[1]);
    } else if (this.kind === "points" && move) {
      this.cursor ??= [0, 0];
      this.cursor = this.cursor.map((value, k) => Math.min(1, Math.max(-1, value + 0.05 * move[k])));
    } else if (this.kind === "points" && event.key === "Enter") {
      this.cursor ??= [0, 0];
      this.point(...this.cursor, event.shiftKey);
    } else return;
    event.preventDefault();
    event.stopPropagation();
    this.app.redraw();
  }

  // The keyboard's cross.
  drawCursor(context, size, palette) {
    if (!this.cursor || this.kind !== "points") return;
    const at = frame(size, PLANE_REACH);
    const x = at.x + this.cursor[0] * at.unit;
    const y = at.y - this.cursor[1] * at.unit;
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

// A new arc in the widest gap, or null if there is no room.
export function withNewArc(arcs) {
  const sorted = arcs.map((arc) => [...arc]).sort((a, b) => a[0] - b[0]);
  let widest = { gap: 0, from: 0 };
  sorted.forEach(([, end], i) => {
    const next = i + 1 < sorted.length ? sorted[i + 1][0] : sorted[0][0] + 360;
    if (next - end > widest.gap) widest = { gap: next - end, from: end };
  });
  if (widest.gap < 12) return null;
  const start = Math.round(widest.from + widest.gap / 3) % 360;
  return [...sorted, [start, start + Math.round(widest.gap / 3)]];
}

// The arcs after one end has been typed; the arc leads from its start onwards to its end.
export function withEnd(arcs, i, side, degrees) {
  const next = arcs.map((one) => [...one]);
  next[i][side] = degrees;
  const [start, end] = next[i];
  let length = end - start;
  while (length <= 0) length += 360;
  next[i] = [start, start + Math.max(length, SHORTEST)];
  return tidy(next);
}

// The list of arcs as numbers, for those who do not drag.
export function listArcs(arcs, change) {
  const rows = arcs.map((arc, i) => {
    const fields = ["from", "to"].map((word, side) => {
      const input = make("input", { type: "number", min: 0, max: 719, value: arc[side] });
      input.setAttribute("aria-label", `Arc ${i + 1} ${word}, degrees`);
      input.addEventListener("change", () => {
        change(withEnd(arcs, i, side, Number(input.value)));
      });
      return make("label", {}, word, input);
    });
    const remove = make("button", { type: "button", textContent: "×", disabled: arcs.length === 1 });
    remove.setAttribute("aria-label", `Remove arc ${i + 1}`);
    remove.addEventListener("click", () => change(arcs.filter((_, k) => k !== i)));
    return make("div", { className: "arc" }, ...fields, remove);
  });
  element("arcs").replaceChildren(...rows);
}
