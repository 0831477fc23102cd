// Neurons in the plane: the line or cone, and the side on which it fires.
import { TAU } from "./paint.js";

const ARROW = 0.17;
const ARROW_HEAD = 5;
// A line that touches the circle in a point is still to be seen.
const SHORTEST = 0.12;

function pen(context, colour, { dashed, wide, alpha }) {
  context.globalAlpha = alpha;
  context.strokeStyle = colour;
  context.fillStyle = colour;
  context.lineWidth = wide;
  context.lineCap = "round";
  context.setLineDash(dashed ? [6, 6] : []);
}

// The line of a neuron inside radius `reach`, with an arrow to the side on which it fires.
export function drawNeuron(context, at, neuron, colour, { dashed = false, wide = 3, alpha = 1, reach = 1 } = {}) {
  const { w, b } = neuron;
  context.save();
  pen(context, colour, { dashed, wide, alpha });
  if (neuron.theta !== null) drawCone(context, at, neuron, reach);
  else {
    const half = Math.sqrt(Math.max(reach * reach - b * b, SHORTEST * SHORTEST));
    const to = (x, y) => [at.x + x * at.unit, at.y - y * at.unit];
    context.beginPath();
    context.moveTo(...to(b * w[0] - half * w[1], b * w[1] + half * w[0]));
    context.lineTo(...to(b * w[0] + half * w[1], b * w[1] - half * w[0]));
    context.stroke();
    context.setLineDash([]);
    drawArrow(context, to(b * w[0], b * w[1]), to((b + ARROW) * w[0], (b + ARROW) * w[1]), w);
  }
  context.restore();
}

function drawArrow(context, from, [x, y], w) {
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(x, y);
  context.stroke();
  context.beginPath();
  context.moveTo(x + ARROW_HEAD * 1.7 * w[0], y - ARROW_HEAD * 1.7 * w[1]);
  context.lineTo(x - ARROW_HEAD * w[1], y - ARROW_HEAD * w[0]);
  context.lineTo(x + ARROW_HEAD * w[1], y + ARROW_HEAD * w[0]);
  context.fill();
}

// The two edges of a bent neuron, from its tip outwards.
function drawCone(context, at, { w, b, theta }, reach) {
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
}

// Fill the part of the unit disc in which a neuron fires.
export function fillSide(context, at, { w, b, edge, theta }, colour, alpha) {
  if (edge >= 1) return;
  const angle = Math.atan2(w[1], w[0]);
  const half = Math.acos(Math.max(edge, -1));
  context.save();
  context.globalAlpha = alpha;
  context.fillStyle = colour;
  context.beginPath();
  if (half >= Math.PI) context.arc(at.x, at.y, at.unit, 0, TAU);
  else context.arc(at.x, at.y, at.unit, -(angle - half), -(angle + half), true);
  if (theta !== null) context.lineTo(at.x + b * w[0] * at.unit, at.y - b * w[1] * at.unit);
  context.fill();
  context.restore();
}

const isSame = (one, other) =>
  one.b === other.b && one.theta === other.theta && one.w.every((value, k) => value === other.w[k]);

// Neurons that the last mutation moved: where a rejected one would have gone, or where an accepted one came from.
export function movedNeurons(before, after, kept, palette) {
  return after.flatMap((neuron, i) => {
    if (isSame(neuron, before[i])) return [];
    return [{ neuron: kept ? before[i] : neuron, colour: kept ? palette.neurons[i] : palette.wrong }];
  });
}
