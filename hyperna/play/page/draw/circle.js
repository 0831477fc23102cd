// The circle: what is to be learnt on the outer ring, what the network answers on the inner one.
import { inArcs } from "../engine/arcs.js";
import { answer, network } from "../engine/fitness.js";
import { drawNeuron, fillSide, movedNeurons } from "./neurons.js";
import { TAU, dot, frame } from "./paint.js";

export const REACH = 1.3;
const LABELS = [1.125, 1.235];
const ANSWERS = [1.01, 1.1];
const HATCH = 0.0105; // of a turn

function ring(context, at, [from, to], start, end, colour) {
  context.beginPath();
  context.arc(at.x, at.y, to * at.unit, -start * TAU, -end * TAU, true);
  context.arc(at.x, at.y, from * at.unit, -end * TAU, -start * TAU, false);
  context.closePath();
  context.fillStyle = colour;
  context.fill();
}

// Cut the circle where some neuron changes its answer; call back with (start, end, answer) in turns.
function pieces(net, visit) {
  const cuts = [0, 1];
  for (const { w, edge } of net.hidden) {
    const angle = Math.atan2(w[1], w[0]) / TAU;
    const half = Math.acos(Math.min(Math.max(edge, -1), 1)) / TAU;
    for (const end of [angle - half, angle + half]) cuts.push(((end % 1) + 1) % 1);
  }
  cuts.sort((a, b) => a - b);
  for (let i = 1; i < cuts.length; i += 1) {
    if (cuts[i] - cuts[i - 1] < 1e-9) continue;
    const middle = ((cuts[i] + cuts[i - 1]) / 2) * TAU;
    visit(cuts[i - 1], cuts[i], answer(net, [Math.cos(middle), Math.sin(middle)]));
  }
}

export class CircleView {
  constructor(task, palette) {
    Object.assign(this, { task, palette, arcs: task.fitness.arcs });
  }

  // `offspring` is what the last mutation made, if it is to be shown.
  draw(context, size, genome, offspring = null) {
    const { palette, task } = this;
    const at = frame(size, REACH);
    const net = network(task, genome);
    net.hidden.forEach((neuron, i) => fillSide(context, at, neuron, palette.neurons[i], 0.15));
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
      this.hatchMistakes(context, at, start, end, fires);
    });
    if (offspring && !offspring.void) {
      const before = network(task, offspring.parent).hidden;
      const after = network(task, offspring.genome).hidden;
      for (const { neuron, colour } of movedNeurons(before, after, offspring.kept, palette)) {
        drawNeuron(context, at, neuron, colour, { dashed: true, wide: 2, alpha: 0.85 });
      }
    }
    net.hidden.forEach((neuron, i) => drawNeuron(context, at, neuron, palette.neurons[i]));
  }

  // Hatch the part of an arc whose label is not the network's answer.
  hatchMistakes(context, at, start, end, fires) {
    const cuts = [start, end];
    for (const arc of this.arcs) for (const x of arc) if (x % 1 > start && x % 1 < end) cuts.push(x % 1);
    cuts.sort((a, b) => a - b);
    context.strokeStyle = this.palette.wrong;
    context.lineWidth = 2.5;
    for (let i = 1; i < cuts.length; i += 1) {
      if (inArcs(this.arcs, (cuts[i] + cuts[i - 1]) / 2) === fires) continue;
      for (let x = Math.ceil(cuts[i - 1] / HATCH) * HATCH; x <= cuts[i]; x += HATCH) {
        const c = Math.cos(x * TAU);
        const s = -Math.sin(x * TAU);
        context.beginPath();
        context.moveTo(at.x + ANSWERS[0] * at.unit * c, at.y + ANSWERS[0] * at.unit * s);
        context.lineTo(at.x + ANSWERS[1] * at.unit * c, at.y + ANSWERS[1] * at.unit * s);
        context.stroke();
      }
    }
  }

  // Handles at the ends of the arcs, where they can be dragged.
  drawHandles(context, size) {
    const at = frame(size, REACH);
    const middle = (LABELS[0] + LABELS[1]) / 2;
    for (const turn of this.arcs.flat()) {
      const x = at.x + middle * at.unit * Math.cos(turn * TAU);
      const y = at.y - middle * at.unit * Math.sin(turn * TAU);
      dot(context, x, y, 7, this.palette.paper, this.palette.ink, 2);
    }
  }

  // One neuron, or the network's answer if i is null.
  drawSmall(context, size, net, i) {
    const { palette } = this;
    const at = frame(size, 1.25);
    context.lineWidth = 1;
    context.strokeStyle = palette.quiet;
    context.beginPath();
    context.arc(at.x, at.y, at.unit, 0, TAU);
    context.stroke();
    if (i !== null) {
      fillSide(context, at, net.hidden[i], palette.neurons[i], 0.8);
      return;
    }
    pieces(net, (start, end, fires) => {
      if (fires) ring(context, at, [0.72, 1], start, end, palette.answer);
    });
    for (const [start, end] of this.arcs) ring(context, at, [1.06, 1.22], start, end, palette.positive);
  }
}
