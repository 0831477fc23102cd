// What is to be learnt and what a network makes of it: on the circle, the sphere and the plane.
import { answer, fires, joined, network } from "./fitness.js";
import { TAU, mix } from "./paint.js";

const OUTER = 1.3, LABELS = [1.13, 1.24], ANSWERS = [1.01, 1.1];

export const inArcs = (arcs, turn) => arcs.some(([start, end]) => {
  const x = turn < start ? turn + 1 : turn;
  return x >= start && x <= end;
});

// The square of side 2 * reach around the origin, in the middle of the canvas, y upwards.
export function frame({ width, height }, reach = OUTER) {
  const unit = Math.min(width, height) / 2 / reach;
  return { x: width / 2, y: height / 2, unit };
}

function ring(context, at, [from, to], start, end, colour) {
  context.beginPath();
  context.arc(at.x, at.y, to * at.unit, -start * TAU, -end * TAU, true);
  context.arc(at.x, at.y, from * at.unit, -end * TAU, -start * TAU, false);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

// The line of a neuron inside radius 1 with an arrow to the side on which it fires.
function line(context, at, neuron, colour, { dashed = false, wide = 3, alpha = 1, reach = 1 } = {}) {
  const { w, b } = neuron;
  if (neuron.theta !== null) {
    cone(context, at, neuron, colour, { dashed, wide, alpha, reach });
    return;
  }
  const half = Math.sqrt(Math.max(reach * reach - b * b, 0.014));
  const to = (x, y) => [at.x + x * at.unit, at.y - y * at.unit];
  const [x0, y0] = to(b * w[0] - half * w[1], b * w[1] + half * w[0]);
  const [x1, y1] = to(b * w[0] + half * w[1], b * w[1] - half * w[0]);
  const [fx, fy] = to(b * w[0], b * w[1]), [tx, ty] = to((b + 0.16) * w[0], (b + 0.16) * w[1]);
  context.save();
  context.globalAlpha = alpha;
  context.strokeStyle = context.fillStyle = colour;
  context.lineWidth = wide;
  if (dashed) context.setLineDash([6, 5]);
  context.beginPath();
  context.moveTo(x0, y0);
  context.lineTo(x1, y1);
  context.stroke();
  context.setLineDash([]);
  context.beginPath();
  context.moveTo(fx, fy);
  context.lineTo(tx, ty);
  context.stroke();
  const s = 4.5;
  context.beginPath();
  context.moveTo(tx + s * 1.6 * w[0], ty - s * 1.6 * w[1]);
  context.lineTo(tx - s * w[1], ty - s * w[0]);
  context.lineTo(tx + s * w[1], ty + s * w[0]);
  context.fill();
  context.restore();
}

// The two edges of a bent neuron, from its tip outwards.
function cone(context, at, { w, b, theta }, colour, { dashed, wide, alpha, reach }) {
  context.save();
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.lineWidth = wide;
  if (dashed) context.setLineDash([6, 5]);
  const angle = Math.atan2(w[1], w[0]);
  context.beginPath();
  for (const side of [-1, 1]) {
    const u = [Math.cos(angle + side * theta), Math.sin(angle + side * theta)];
    const along = b * (w[0] * u[0] + w[1] * u[1]);
    const far = Math.sqrt(Math.max(along * along + reach * reach - b * b, 0)) - along;
    context.moveTo(at.x + b * w[0] * at.unit, at.y - b * w[1] * at.unit);
    context.lineTo(at.x + (b * w[0] + far * u[0]) * at.unit, at.y - (b * w[1] + far * u[1]) * at.unit);
  }
  context.stroke();
  context.restore();
}

// Fill the part of the disc in which a neuron fires.
function cap(context, at, { w, b, edge, theta }, colour, alpha) {
  if (edge >= 1) return;
  const angle = Math.atan2(w[1], w[0]), half = Math.acos(Math.max(edge, -1));
  context.save();
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.beginPath();
  context.arc(at.x, at.y, at.unit, -(angle - half), -(angle + half), true);
  if (theta !== null) context.lineTo(at.x + b * w[0] * at.unit, at.y - b * w[1] * at.unit);
  context.fill();
  context.restore();
}

// Cut the circle where some neuron changes its answer; call back with (start, end, answer) in turns.
function pieces(net, visit) {
  const cuts = [0, 1];
  for (const { w, edge } of net.hidden) {
    const angle = Math.atan2(w[1], w[0]) / TAU, half = Math.acos(Math.min(Math.max(edge, -1), 1)) / TAU;
    for (const end of [angle - half, angle + half]) cuts.push(((end % 1) + 1) % 1);
  }
  cuts.sort((a, b) => a - b);
  for (let i = 1; i < cuts.length; i += 1) {
    if (cuts[i] - cuts[i - 1] < 1e-9) continue;
    const middle = ((cuts[i] + cuts[i - 1]) / 2) * TAU;
    visit(cuts[i - 1], cuts[i], answer(net, [Math.cos(middle), Math.sin(middle)]));
  }
}

class View {
  constructor(task, palette) {
    this.task = task;
    this.palette = palette;
    this.arcs = task.fitness.arcs;
  }

  // Neurons that the last mutation moved: where a rejected one would have gone, or where an accepted
  // one came from.
  moved({ offspring }) {
    if (!offspring || offspring.void) return [];
    const { palette, task } = this, { kept } = offspring;
    const before = network(task, offspring.parent).hidden, after = network(task, offspring.genome).hidden;
    return after.flatMap((neuron, i) => {
      const same = neuron.b === before[i].b && neuron.theta === before[i].theta && neuron.w.every((value, k) => value === before[i].w[k]);
      return same ? [] : [{ neuron: kept ? before[i] : neuron, colour: kept ? palette.neurons[i] : palette.wrong }];
    });
  }

  ghosts(context, at, search, reach = 1) {
    for (const { neuron, colour } of this.moved(search)) line(context, at, neuron, colour, { dashed: true, wide: 2, alpha: 0.85, reach });
  }
}

export class CircleView extends View {
  draw(context, size, search) {
    const { palette, task } = this, at = frame(size), net = network(task, search.genome);
    net.hidden.forEach((neuron, i) => cap(context, at, neuron, palette.neurons[i], 0.17));
    context.strokeStyle = palette.quiet;
    context.lineWidth = 1;
    context.beginPath();
    context.arc(at.x, at.y, at.unit, 0, TAU);
    context.stroke();
    ring(context, at, LABELS, 0, 1, palette.tint);
    for (const [start, end] of this.arcs) ring(context, at, LABELS, start, end, palette.positive);
    ring(context, at, ANSWERS, 0, 1, palette.tint);
    pieces(net, (start, end, fires) => {
      if (fires) ring(context, at, ANSWERS, start, end, palette.answer);
      this.mistakes(context, at, start, end, fires);
    });
    this.ghosts(context, at, search);
    net.hidden.forEach((neuron, i) => line(context, at, neuron, palette.neurons[i]));
  }

  // Hatch the part of an arc whose label is not the network's answer.
  mistakes(context, at, start, end, fires) {
    const cuts = [start, end];
    for (const arc of this.arcs) for (const x of arc) if (x % 1 > start && x % 1 < end) cuts.push(x % 1);
    cuts.sort((a, b) => a - b);
    for (let i = 1; i < cuts.length; i += 1) {
      if (inArcs(this.arcs, (cuts[i] + cuts[i - 1]) / 2) === fires) continue;
      const step = 0.012;
      context.strokeStyle = this.palette.wrong;
      context.lineWidth = 2.5;
      for (let x = Math.ceil(cuts[i - 1] / step) * step; x <= cuts[i]; x += step) {
        const c = Math.cos(x * TAU), s = -Math.sin(x * TAU);
        context.beginPath();
        context.moveTo(at.x + ANSWERS[0] * at.unit * c, at.y + ANSWERS[0] * at.unit * s);
        context.lineTo(at.x + ANSWERS[1] * at.unit * c, at.y + ANSWERS[1] * at.unit * s);
        context.stroke();
      }
    }
  }

  // Handles at the ends of the arcs, where they can be dragged.
  handles(context, size) {
    const at = frame(size), middle = (LABELS[0] + LABELS[1]) / 2;
    for (const arc of this.arcs) {
      for (const turn of arc) {
        context.beginPath();
        context.arc(at.x + middle * at.unit * Math.cos(turn * TAU), at.y - middle * at.unit * Math.sin(turn * TAU), 7, 0, TAU);
        context.fillStyle = this.palette.paper;
        context.strokeStyle = this.palette.ink;
        context.lineWidth = 2;
        context.fill();
        context.stroke();
      }
    }
  }

  // One neuron, or the network's answer if there is none.
  thumbnail(context, size, net, i) {
    const at = frame(size, 1.25);
    context.lineWidth = 1;
    context.strokeStyle = this.palette.quiet;
    context.beginPath();
    context.arc(at.x, at.y, at.unit, 0, TAU);
    context.stroke();
    if (i !== null) {
      cap(context, at, net.hidden[i], this.palette.neurons[i], 0.8);
      return;
    }
    pieces(net, (start, end, fires) => {
      if (fires) ring(context, at, [0.72, 1], start, end, this.palette.answer);
    });
    for (const [start, end] of this.arcs) ring(context, at, [1.06, 1.22], start, end, this.palette.positive);
  }
}

// Points of the plane in two colours.
export class PlaneView extends View {
  constructor(task, palette) {
    super(task, palette);
    this.mesh = null;
    this.cells = document.createElement("canvas");
    this.cells.width = this.cells.height = 96;
  }

  shade(net, i) {
    const n = this.cells.width, context = this.cells.getContext("2d"), image = context.createImageData(n, n);
    const { bytes, neurons } = this.palette;
    // The network's two answers have the colours of the two labels.
    const fill = mix(bytes.paper, i === null ? bytes.positive : hex(neurons[i]), i === null ? 0.3 : 0.5);
    const rest = i === null ? mix(bytes.paper, bytes.answer, 0.22) : bytes.paper;
    for (let row = 0; row < n; row += 1) {
      for (let column = 0; column < n; column += 1) {
        const x = [(2 * (column + 0.5)) / n - 1, 1 - (2 * (row + 0.5)) / n];
        const one = i === null ? answer(net, x) : fires(net.hidden[i], x);
        const colour = one ? fill : rest, place = 4 * (row * n + column);
        image.data.set(colour, place);
        image.data[place + 3] = 255;
      }
    }
    context.putImageData(image, 0, 0);
    return this.cells;
  }

  draw(context, size, search) {
    const at = frame(size, 1.04), net = network(this.task, search.genome);
    const corner = [at.x - at.unit, at.y - at.unit], side = 2 * at.unit;
    context.imageSmoothingEnabled = true;
    context.drawImage(this.shade(net, null), ...corner, side, side);
    if (this.mesh) this.outline(context, at);
    context.save();
    context.beginPath();
    context.rect(...corner, side, side);
    context.clip();
    this.ghosts(context, at, search, 1.45);
    net.hidden.forEach((neuron, i) => line(context, at, neuron, this.palette.neurons[i], { reach: 1.45 }));
    context.restore();
    context.strokeStyle = this.palette.line;
    context.lineWidth = 1;
    context.strokeRect(...corner, side, side);
    this.marks(context, at, net, 6);
  }

  // The border of what a fitted classifier answers.
  outline(context, at) {
    const n = this.mesh.length, place = (k) => (2 * k) / (n - 1) - 1;
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 1.5;
    context.setLineDash([3, 3]);
    context.beginPath();
    const step = at.unit / (n - 1);
    for (let i = 0; i < n; i += 1) {
      for (let j = 0; j < n; j += 1) {
        const x = at.x + place(j) * at.unit, y = at.y - place(i) * at.unit;
        if (j + 1 < n && this.mesh[i][j] !== this.mesh[i][j + 1]) {
          context.moveTo(x + step, y - step);
          context.lineTo(x + step, y + step);
        }
        if (i + 1 < n && this.mesh[i][j] !== this.mesh[i + 1][j]) {
          context.moveTo(x - step, y - step);
          context.lineTo(x + step, y - step);
        }
      }
    }
    context.stroke();
    context.setLineDash([]);
  }

  marks(context, at, net, radius) {
    this.task.fitness.X.forEach((x, i) => {
      const label = this.task.fitness.y[i] === 1;
      const px = at.x + x[0] * at.unit, py = at.y - x[1] * at.unit;
      context.fillStyle = label ? this.palette.positive : this.palette.answer;
      context.strokeStyle = this.palette.paper;
      context.lineWidth = 1.5;
      context.beginPath();
      if (label) context.arc(px, py, radius, 0, TAU);
      else context.rect(px - 0.85 * radius, py - 0.85 * radius, 1.7 * radius, 1.7 * radius);
      context.fill();
      context.stroke();
      if (radius > 3 && answer(net, x) !== label) {
        context.strokeStyle = this.palette.wrong;
        context.lineWidth = 2;
        context.beginPath();
        context.arc(px, py, radius + 4, 0, TAU);
        context.stroke();
      }
    });
  }

  thumbnail(context, size, net, i) {
    const at = frame(size, 1.05);
    context.drawImage(this.shade(net, i), at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
    context.strokeStyle = this.palette.line;
    context.strokeRect(at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
    if (i === null) this.marks(context, at, net, 2);
  }
}

const hex = (text) => {
  const value = parseInt(text.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
};

// The sphere, seen from a direction that dragging changes.
export class SphereView extends View {
  constructor(task, palette) {
    super(task, palette);
    this.turn(0.5, 0.38);
  }

  turn(around, up) {
    this.around = around;
    this.up = Math.min(Math.max(up, -1.5), 1.5);
    const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(this.up), Math.sin(this.up)];
    // Columns of the screen: right, up, towards the viewer.
    this.right = [-sa, ca, 0];
    this.above = [-su * ca, -su * sa, cu];
    this.near = [cu * ca, cu * sa, su];
    this.truth = {};
  }

  // The sphere's points behind the pixels of a square of side n, and their labels.
  pixels(n) {
    if (this.truth[n]) return this.truth[n];
    const found = [];
    for (let row = 0; row < n; row += 1) {
      for (let column = 0; column < n; column += 1) {
        const u = (2 * (column + 0.5)) / n - 1, v = 1 - (2 * (row + 0.5)) / n, d = 1 - u * u - v * v;
        if (d < 0) continue;
        const z = Math.sqrt(d);
        const x = [0, 1, 2].map((k) => u * this.right[k] + v * this.above[k] + z * this.near[k]);
        const turn = Math.atan2(x[2], x[1]) / TAU;
        found.push({ place: 4 * (row * n + column), hatch: (row + column) % 6 < 3, x, light: 0.72 + 0.28 * z,
          label: inArcs(this.arcs, turn < 0 ? turn + 1 : turn) });
      }
    }
    const canvas = document.createElement("canvas");
    canvas.width = canvas.height = n;
    this.truth[n] = { found, canvas };
    return this.truth[n];
  }

  shade(net, i, n) {
    const { found, canvas } = this.pixels(n), context = canvas.getContext("2d");
    const image = context.createImageData(n, n), { bytes } = this.palette;
    const own = i === null ? null : hex(this.palette.neurons[i]);
    const solid = this.arcs.length === 0;
    for (const { place, hatch, x, light, label } of found) {
      let mask = 0;
      for (let k = 0; k < net.size; k += 1) {
        const { w, edge } = net.hidden[k];
        if (x[0] * w[0] + x[1] * w[1] + x[2] * w[2] >= edge) mask |= 1 << k;
      }
      let colour;
      if (own) colour = (mask >> i) & 1 ? own : bytes.tint;
      else {
        const fires = joined(net, mask);
        if (solid) colour = fires ? mix(bytes.tint, bytes.positive, 0.45) : mix(bytes.tint, bytes.answer, 0.3);
        else if (fires !== label && hatch) colour = bytes.wrong;
        else colour = label ? bytes.positive : fires ? mix(bytes.tint, bytes.answer, 0.6) : bytes.tint;
      }
      for (let c = 0; c < 3; c += 1) image.data[place + c] = colour[c] * light;
      image.data[place + 3] = 255;
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  project(at, x) {
    const dot = (axis) => x[0] * axis[0] + x[1] * axis[1] + x[2] * axis[2];
    return [at.x + at.unit * dot(this.right), at.y - at.unit * dot(this.above), dot(this.near)];
  }

  circle(context, at, { w, edge: b }, colour, dashed) {
    const aside = Math.abs(w[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
    const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];
    let first = cross(w, aside);
    const length = Math.hypot(...first);
    first = first.map((v) => v / length);
    const second = cross(w, first), radius = Math.sqrt(Math.max(1 - b * b, 0));
    for (const front of [false, true]) {
      context.save();
      context.strokeStyle = colour;
      context.lineWidth = front ? (dashed ? 2 : 3.5) : 1;
      context.globalAlpha = front ? 1 : 0.45;
      if (dashed) context.setLineDash([6, 5]);
      context.beginPath();
      let drawing = false;
      for (let k = 0; k <= 90; k += 1) {
        const c = radius * Math.cos((k / 90) * TAU), s = radius * Math.sin((k / 90) * TAU);
        const [px, py, depth] = this.project(at, [0, 1, 2].map((j) => b * w[j] + c * first[j] + s * second[j]));
        if (depth > 0 === front) {
          if (drawing) context.lineTo(px, py);
          else context.moveTo(px, py);
          drawing = true;
        } else drawing = false;
      }
      context.stroke();
      context.restore();
    }
    // The normal vector stands on the sphere.
    const [x0, y0, depth] = this.project(at, w), [x1, y1] = this.project(at, w.map((v) => 1.25 * v));
    if (dashed || depth < 0) return;
    context.strokeStyle = colour;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
  }

  draw(context, size, search) {
    const at = frame(size), net = network(this.task, search.genome), side = 2 * at.unit;
    context.imageSmoothingEnabled = true;
    context.drawImage(this.shade(net, null, 220), at.x - at.unit, at.y - at.unit, side, side);
    for (const { neuron, colour } of this.moved(search)) this.circle(context, at, neuron, colour, true);
    net.hidden.forEach((neuron, i) => this.circle(context, at, neuron, this.palette.neurons[i], false));
    if (!this.arcs.length) this.corners(context, at, net);
  }

  corners(context, at, net) {
    this.task.fitness.X.forEach((x, i) => {
      const [px, py, depth] = this.project(at, x), label = this.task.fitness.y[i] === 1;
      context.globalAlpha = depth > 0 ? 1 : 0.4;
      context.fillStyle = label ? this.palette.positive : this.palette.answer;
      context.strokeStyle = answer(net, x) === label ? this.palette.paper : this.palette.wrong;
      context.lineWidth = 3;
      context.beginPath();
      context.arc(px, py, 10, 0, TAU);
      context.fill();
      context.stroke();
      context.globalAlpha = 1;
    });
  }

  thumbnail(context, size, net, i) {
    const at = frame(size, 1.1);
    context.drawImage(this.shade(net, i, 48), at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
  }
}

export function viewOf(task, palette) {
  if (task.dim === 3) return new SphereView(task, palette);
  return task.fitness.turn ? new CircleView(task, palette) : new PlaneView(task, palette);
}
