// The sphere, seen from a direction that dragging changes.
import { answer, joined, network } from "../engine/fitness.js";
import { movedNeurons } from "./neurons.js";
import { TAU, dot, frame, mix, pixelRatio } from "./paint.js";

const REACH = 1.16;
const MOST_PIXELS = 640;
const CURVE = 96; // pieces of a circle that is drawn as a polygon
const HATCHES = 160; // widths of a hatch from one side of the picture to the other

const product = (p, q) => p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
const cross = (p, q) => [p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]];

// The pixels of a disc of `side` pixels: where they are, on which diagonal, how far towards the viewer, how much of
// each is inside.
function disc(side) {
  const found = { place: [], diagonal: [], u: [], v: [], z: [], inside: [] };
  for (let row = 0; row < side; row += 1) {
    for (let column = 0; column < side; column += 1) {
      const u = (2 * (column + 0.5)) / side - 1;
      const v = 1 - (2 * (row + 0.5)) / side;
      const radius = Math.hypot(u, v);
      const inside = Math.min(1, Math.max(0, ((1 - radius) * side) / 2 + 0.5));
      if (inside === 0) continue;
      found.place.push(row * side + column);
      found.diagonal.push(row + column);
      found.u.push(u);
      found.v.push(v);
      found.z.push(Math.sqrt(Math.max(0, 1 - u * u - v * v)));
      found.inside.push(Math.round(255 * inside));
    }
  }
  return {
    side,
    place: Int32Array.from(found.place),
    diagonal: Int32Array.from(found.diagonal),
    u: Float32Array.from(found.u),
    v: Float32Array.from(found.v),
    z: Float32Array.from(found.z),
    inside: Uint8Array.from(found.inside),
  };
}

export class SphereView {
  constructor(task, palette) {
    Object.assign(this, { task, palette, arcs: task.fitness.arcs });
    this.discs = new Map();
    this.turn(0.62, 0.42);
  }

  // Look from this longitude and latitude.
  turn(around, up) {
    this.around = around;
    this.up = Math.min(Math.max(up, -1.5), 1.5);
    const [ca, sa, cu, su] = [Math.cos(around), Math.sin(around), Math.cos(this.up), Math.sin(this.up)];
    this.right = [-sa, ca, 0];
    this.above = [-su * ca, -su * sa, cu];
    this.near = [cu * ca, cu * sa, su];
  }

  // A direction in the coordinates of the screen: right, up, towards the viewer.
  seen(x) {
    return [product(x, this.right), product(x, this.above), product(x, this.near)];
  }

  // A picture of the sphere: the network's answers and their mistakes, or one neuron's.
  shade(net, i, side) {
    if (!this.discs.has(side)) {
      const canvas = document.createElement("canvas");
      canvas.width = side;
      canvas.height = side;
      this.discs.set(side, { pixels: disc(side), canvas });
    }
    const { pixels, canvas } = this.discs.get(side);
    const context = canvas.getContext("2d");
    const image = context.createImageData(side, side);
    const { data } = image;
    const { place, diagonal, u, v, z, inside } = pixels;
    const neurons = net.hidden.map(({ w, edge }) => [...this.seen(w), edge]);
    const isPositive = this.labeller();
    const colours = this.colours(i);
    const hatch = Math.max(2, Math.round(side / HATCHES));
    for (let p = 0; p < place.length; p += 1) {
      let mask = 0;
      for (let k = 0; k < neurons.length; k += 1) {
        const n = neurons[k];
        if (n[0] * u[p] + n[1] * v[p] + n[2] * z[p] >= n[3]) mask |= 1 << k;
      }
      let colour;
      if (i !== null) colour = (mask >> i) & 1 ? colours.own : colours.no;
      else {
        const fires = joined(net, mask);
        const label = isPositive ? isPositive(u[p], v[p], z[p]) : null;
        if (label === null) colour = fires ? colours.yes : colours.negative;
        else if (fires !== label && diagonal[p] % (3 * hatch) < hatch) colour = colours.wrong;
        else colour = label ? colours.positive : fires ? colours.answer : colours.no;
      }
      const light = 0.74 + 0.26 * z[p];
      const at = 4 * place[p];
      data[at] = colour[0] * light;
      data[at + 1] = colour[1] * light;
      data[at + 2] = colour[2] * light;
      data[at + 3] = inside[p];
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }

  colours(i) {
    const { bytes, neuronBytes } = this.palette;
    return {
      own: i === null ? null : neuronBytes[i],
      no: bytes.ball,
      yes: mix(bytes.ball, bytes.positive, 0.45),
      negative: mix(bytes.ball, bytes.answer, 0.3),
      positive: bytes.positive,
      answer: mix(bytes.ball, bytes.answer, 0.65),
      wrong: bytes.wrong,
    };
  }

  // Whether a point of the screen is positive: an arc is what lies between two half planes.
  labeller() {
    if (!this.arcs.length) return null;
    const x2 = this.seen([0, 1, 0]);
    const x3 = this.seen([0, 0, 1]);
    const wedges = this.arcs.map(([start, end]) => ({
      from: [Math.cos(start * TAU), Math.sin(start * TAU)],
      to: [Math.cos(end * TAU), Math.sin(end * TAU)],
      wide: end - start > 0.5,
    }));
    return (u, v, z) => {
      const a = x2[0] * u + x2[1] * v + x2[2] * z;
      const b = x3[0] * u + x3[1] * v + x3[2] * z;
      for (const { from, to, wide } of wedges) {
        const after = from[0] * b - from[1] * a >= 0;
        const before = to[1] * a - to[0] * b >= 0;
        if (wide ? after || before : after && before) return true;
      }
      return false;
    };
  }

  draw(context, size, genome, offspring = null) {
    const { task, palette } = this;
    const at = frame(size, REACH);
    const net = network(task, genome);
    const side = Math.min(MOST_PIXELS, Math.round(2 * at.unit * pixelRatio()));
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = "high";
    context.drawImage(this.shade(net, null, side), at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
    for (const turn of this.arcs.flat()) this.drawMeridian(context, at, turn);
    if (offspring && !offspring.void) {
      const before = network(task, offspring.parent).hidden;
      const after = network(task, offspring.genome).hidden;
      for (const { neuron, colour } of movedNeurons(before, after, offspring.kept, palette)) {
        this.drawCircle(context, at, neuron, colour, true);
      }
    }
    net.hidden.forEach((neuron, i) => this.drawCircle(context, at, neuron, palette.neurons[i], false));
    if (!this.arcs.length) this.drawCorners(context, at, net);
  }

  // A curve on the sphere, thin where it is behind; `point` maps 0 .. CURVE to points.
  drawCurve(context, at, point, { colour, wide, dashed }) {
    for (const front of [false, true]) {
      context.save();
      context.strokeStyle = colour;
      context.lineWidth = front ? wide : Math.min(wide, 1);
      context.globalAlpha = front ? 1 : 0.3;
      context.lineJoin = "round";
      if (dashed) context.setLineDash([6, 6]);
      context.beginPath();
      let drawing = false;
      for (let k = 0; k <= CURVE; k += 1) {
        const [u, v, z] = this.seen(point(k));
        if (z > 0 === front) {
          if (drawing) context.lineTo(at.x + u * at.unit, at.y - v * at.unit);
          else context.moveTo(at.x + u * at.unit, at.y - v * at.unit);
          drawing = true;
        } else drawing = false;
      }
      context.stroke();
      context.restore();
    }
  }

  // Where an arc begins or ends: half of a great circle through the poles of the first axis.
  drawMeridian(context, at, turn) {
    const c = Math.cos(turn * TAU);
    const s = Math.sin(turn * TAU);
    const point = (k) => {
      const angle = (Math.PI * k) / CURVE;
      return [Math.cos(angle), Math.sin(angle) * c, Math.sin(angle) * s];
    };
    this.drawCurve(context, at, point, { colour: this.palette.paper, wide: 2, dashed: false });
  }

  // The circle in which a neuron's plane cuts the sphere, and its normal vector.
  drawCircle(context, at, { w, edge }, colour, dashed) {
    const aside = Math.abs(w[0]) < 0.6 ? [1, 0, 0] : [0, 1, 0];
    const first = cross(w, aside);
    const length = Math.hypot(...first);
    const across = first.map((value) => value / length);
    const along = cross(w, across);
    const b = Math.min(Math.max(edge, -1), 1);
    const radius = Math.sqrt(1 - b * b);
    const point = (k) => {
      const c = radius * Math.cos((k / CURVE) * TAU);
      const s = radius * Math.sin((k / CURVE) * TAU);
      return [0, 1, 2].map((j) => b * w[j] + c * across[j] + s * along[j]);
    };
    this.drawCurve(context, at, point, { colour, wide: dashed ? 2 : 3.5, dashed });
    const [u, v, z] = this.seen(w);
    if (dashed || z < 0) return;
    context.strokeStyle = colour;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(at.x + u * at.unit, at.y - v * at.unit);
    context.lineTo(at.x + 1.14 * u * at.unit, at.y - 1.14 * v * at.unit);
    context.stroke();
    dot(context, at.x + u * at.unit, at.y - v * at.unit, 3.5, colour, null);
  }

  // The corners of the cube.
  drawCorners(context, at, net) {
    const { X, y } = this.task.fitness;
    const { palette } = this;
    X.forEach((x, i) => {
      const [u, v, z] = this.seen(x);
      const label = y[i] === 1;
      context.globalAlpha = z > 0 ? 1 : 0.4;
      const edge = answer(net, x) === label ? palette.paper : palette.wrong;
      dot(context, at.x + u * at.unit, at.y - v * at.unit, 10, label ? palette.positive : palette.answer, edge, 3);
      context.globalAlpha = 1;
    });
  }

  drawSmall(context, size, net, i) {
    const at = frame(size, 1.1);
    const side = Math.round(2 * at.unit * pixelRatio());
    context.drawImage(this.shade(net, i, side), at.x - at.unit, at.y - at.unit, 2 * at.unit, 2 * at.unit);
  }
}
