// Labelled points of the plane, the two answers as regions, and the lines between them.
import { answer, fires, network } from "../engine/fitness.js";
import { drawNeuron, movedNeurons } from "./neurons.js";
import { TAU, fit, frame, mix, pixelRatio, toColour } from "./paint.js";

export const PLANE_REACH = 1.03;
const SIDES = [
  [-1, -1],
  [1, -1],
  [1, 1],
  [-1, 1],
];

// The part of a convex polygon on one side of the line w·x = t: where w·x >= t, or below it.
export function clip(polygon, [a, b], t, above) {
  const sign = above ? 1 : -1;
  const height = ([x, y]) => sign * (a * x + b * y - t);
  return polygon.flatMap((point, i) => {
    const next = polygon[(i + 1) % polygon.length];
    const here = height(point);
    const there = height(next);
    const found = here >= 0 ? [point] : [];
    if (here >= 0 !== there >= 0) {
      const share = here / (here - there);
      found.push([point[0] + share * (next[0] - point[0]), point[1] + share * (next[1] - point[1])]);
    }
    return found;
  });
}

// Cut the square into the cells of some lines; call back with (polygon, hidden bits as a mask).
export function cells(lines, visit, square = SIDES) {
  const cut = (polygon, i, mask) => {
    if (polygon.length < 3) return;
    if (i === lines.length) {
      visit(polygon, mask);
      return;
    }
    const { w, b } = lines[i];
    cut(clip(polygon, w, b, true), i + 1, mask | (1 << i));
    cut(clip(polygon, w, b, false), i + 1, mask);
  };
  cut(square, 0, 0);
}

export function fillPolygon(context, to, polygon, colour) {
  context.beginPath();
  polygon.forEach((point, i) => (i ? context.lineTo(...to(point)) : context.moveTo(...to(point))));
  context.closePath();
  context.fillStyle = colour;
  context.fill();
  // Neighbouring cells of one colour must not show the seam between them.
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.stroke();
}

// A point as a disc or, of the other label, a square; ringed if it is classified wrongly.
export function drawMark(context, [x, y], { label, wrong, radius, palette }) {
  context.fillStyle = label ? palette.positive : palette.answer;
  context.strokeStyle = palette.paper;
  context.lineWidth = radius > 3 ? 1.5 : 0.75;
  context.beginPath();
  if (label) context.arc(x, y, radius, 0, TAU);
  else context.rect(x - 0.88 * radius, y - 0.88 * radius, 1.76 * radius, 1.76 * radius);
  context.fill();
  context.stroke();
  if (!wrong || radius <= 3) return;
  context.strokeStyle = palette.wrong;
  context.lineWidth = 2;
  context.beginPath();
  context.arc(x, y, radius + 4, 0, TAU);
  context.stroke();
}

// The colours of the two answers.
export function regionColours({ bytes }) {
  return { yes: toColour(mix(bytes.paper, bytes.positive, 0.26)), no: toColour(mix(bytes.paper, bytes.answer, 0.2)) };
}

export class PlaneView {
  constructor(task, palette) {
    Object.assign(this, { task, palette, arcs: [] });
  }

  // The regions of the network's answer, or of one neuron's.
  fillRegions(context, at, net, i) {
    const { palette } = this;
    const to = ([x, y]) => [at.x + x * at.unit, at.y - y * at.unit];
    let { yes, no } = regionColours(palette);
    if (i !== null) {
      yes = toColour(mix(palette.bytes.paper, palette.neuronBytes[i], 0.6));
      no = palette.paper;
    }
    fillPolygon(context, to, SIDES, no);
    if (net.hidden.some(({ theta }) => theta !== null)) {
      this.fillMesh(context, at, net, i, yes);
      return;
    }
    cells(net.hidden, (polygon) => {
      const middle = [0, 1].map((k) => polygon.reduce((sum, point) => sum + point[k], 0) / polygon.length);
      if (i === null ? answer(net, middle) : fires(net.hidden[i], middle)) fillPolygon(context, to, polygon, yes);
    });
  }

  // Regions of cones, one small square after the other.
  fillMesh(context, at, net, i, colour) {
    const side = 3 / pixelRatio();
    const step = side / at.unit;
    context.fillStyle = colour;
    for (let x = -1; x < 1; x += step) {
      for (let y = -1; y < 1; y += step) {
        const middle = [x + step / 2, y + step / 2];
        if (i === null ? answer(net, middle) : fires(net.hidden[i], middle)) {
          context.fillRect(at.x + x * at.unit, at.y - (y + step) * at.unit, side + 0.5, side + 0.5);
        }
      }
    }
  }

  draw(context, size, genome, offspring = null) {
    const { task, palette } = this;
    const at = frame(size, PLANE_REACH);
    const net = network(task, genome);
    const corner = [at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit];
    context.save();
    context.beginPath();
    context.rect(...corner);
    context.clip();
    this.fillRegions(context, at, net, null);
    if (offspring && !offspring.void) {
      const before = network(task, offspring.parent).hidden;
      const after = network(task, offspring.genome).hidden;
      for (const { neuron, colour } of movedNeurons(before, after, offspring.kept, palette)) {
        drawNeuron(context, at, neuron, colour, { dashed: true, wide: 2, alpha: 0.85, reach: 1.45 });
      }
    }
    net.hidden.forEach((neuron, i) => drawNeuron(context, at, neuron, palette.neurons[i], { reach: 1.45 }));
    context.restore();
    context.strokeStyle = palette.line;
    context.lineWidth = 1;
    context.strokeRect(...corner);
    this.drawPoints(context, at, net, 6);
  }

  drawPoints(context, at, net, radius) {
    const { X, y } = this.task.fitness;
    const { palette } = this;
    X.forEach((x, i) => {
      const label = y[i] === 1;
      const place = [at.x + x[0] * at.unit, at.y - x[1] * at.unit];
      drawMark(context, place, { label, wrong: answer(net, x) !== label, radius, palette });
    });
  }

  drawSmall(context, size, net, i) {
    const at = frame(size, 1.05);
    this.fillRegions(context, at, net, i);
    context.strokeStyle = this.palette.line;
    context.lineWidth = 1;
    context.strokeRect(at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
    if (i === null) this.drawPoints(context, at, net, 2);
  }
}

// A plane without a point.
export function drawEmptyPlane(canvas, palette, text) {
  const size = fit(canvas);
  const { context } = size;
  const at = frame(size, PLANE_REACH);
  context.fillStyle = palette.paper;
  context.fillRect(0, 0, size.width, size.height);
  context.strokeStyle = palette.line;
  context.strokeRect(at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
  context.fillStyle = palette.quiet;
  context.font = "16px system-ui, sans-serif";
  context.textAlign = "center";
  context.fillText(text, at.x, at.y);
  return { ...size, at };
}
