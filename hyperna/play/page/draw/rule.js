// A rule on a table of two features: its regions, its lines and the points.
import { holds } from "../rules/readable.js";
import { cells, drawMark, fillPolygon, regionColours } from "./plane.js";
import { FONT, fit } from "./paint.js";

const MARGIN = 0.06;

// Round numbers between low and high.
function ticks(low, high) {
  const rough = (high - low) / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= rough);
  const found = [];
  for (let k = Math.ceil(low / step); k * step <= high; k += 1) found.push(Number((k * step).toPrecision(10)));
  return found;
}

// The weights of both features.
function inOrder({ features, weights }) {
  return [0, 1].map((j) => weights[features.indexOf(j)] ?? 0);
}

export class RuleView {
  constructor(table, palette) {
    Object.assign(this, { table, palette });
    this.bounds = [0, 1].map((j) => {
      const values = table.points.map((point) => point[j]);
      const low = Math.min(...values);
      const high = Math.max(...values);
      const room = MARGIN * (high - low || 1);
      return [low - room, high + room];
    });
  }

  draw(canvas, rule) {
    const { context, width, height } = fit(canvas);
    const { palette, bounds, table } = this;
    const left = 58;
    const right = width - 14;
    const top = 12;
    const bottom = height - 48;
    const [[x0, x1], [y0, y1]] = bounds;
    const to = ([x, y]) => [
      left + ((x - x0) / (x1 - x0)) * (right - left),
      bottom - ((y - y0) / (y1 - y0)) * (bottom - top),
    ];
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, width, height);
    this.drawAxes(context, { left, right, top, bottom, to });
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    const corners = [
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ];
    if (rule) this.fillRegions(context, rule, corners, to);
    if (rule) this.drawLines(context, rule, corners, to);
    context.restore();
    const radius = table.points.length > 100 ? 5 : 6;
    for (const point of table.points) {
      const label = point[2] === 1;
      drawMark(context, to(point), { label, wrong: Boolean(rule) && holds(rule, point) !== label, radius, palette });
    }
  }

  drawAxes(context, { left, right, top, bottom, to }) {
    const { palette, bounds, table } = this;
    const unit = table.unit ? ` (${table.unit})` : "";
    context.font = FONT;
    context.fillStyle = palette.quiet;
    context.strokeStyle = palette.line;
    context.strokeRect(left, top, right - left, bottom - top);
    context.textBaseline = "top";
    context.textAlign = "center";
    for (const value of ticks(...bounds[0]))
      context.fillText(String(value).replace("-", "−"), to([value, bounds[1][0]])[0], bottom + 6);
    context.fillText(`${table.features[0]}${unit}`, (left + right) / 2, bottom + 25);
    context.textBaseline = "middle";
    context.textAlign = "right";
    for (const value of ticks(...bounds[1]))
      context.fillText(String(value).replace("-", "−"), left - 8, to([bounds[0][0], value])[1]);
    context.save();
    context.translate(14, (top + bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.textAlign = "center";
    context.fillText(`${table.features[1]}${unit}`, 0, 0);
    context.restore();
  }

  fillRegions(context, rule, corners, to) {
    const { yes, no } = regionColours(this.palette);
    const lines = rule.conditions.map((condition) => ({ w: inOrder(condition), b: condition.threshold }));
    cells(
      lines,
      (polygon) => {
        const middle = [0, 1].map((k) => polygon.reduce((sum, point) => sum + point[k], 0) / polygon.length);
        fillPolygon(context, to, polygon, holds(rule, middle) ? yes : no);
      },
      corners,
    );
  }

  // The line of each condition, where it crosses the picture.
  drawLines(context, rule, corners, to) {
    rule.conditions.forEach((condition, i) => {
      const [a, b] = inOrder(condition);
      const height = ([x, y]) => a * x + b * y - condition.threshold;
      const ends = corners.flatMap((from, k) => {
        const next = corners[(k + 1) % 4];
        const here = height(from);
        const there = height(next);
        if (here >= 0 === there >= 0) return [];
        const share = here / (here - there);
        return [[from[0] + share * (next[0] - from[0]), from[1] + share * (next[1] - from[1])]];
      });
      if (ends.length < 2) return;
      context.strokeStyle = this.palette.neurons[i % this.palette.neurons.length];
      context.lineWidth = 3;
      context.beginPath();
      context.moveTo(...to(ends[0]));
      context.lineTo(...to(ends[1]));
      context.stroke();
    });
  }
}
