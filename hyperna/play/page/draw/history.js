// Fitness over time, on a logarithmic axis of evaluations.
import { FONT, decades, dot, fit, short } from "./paint.js";

export function drawHistory(canvas, palette, search) {
  const { context, width, height } = fit(canvas);
  const left = 50;
  const right = width - 12;
  const top = 12;
  const bottom = height - 36;
  const points = search.history;
  const last = Math.max(search.evaluations, 10);
  const lowest = points.reduce((low, [, share]) => Math.min(low, share), 1);
  const base = Math.floor(Math.min(lowest, 0.9) * 10) / 10;
  const x = (evaluation) => left + (Math.log(evaluation) / Math.log(last)) * (right - left);
  const y = (share) => bottom - ((share - base) / (1 - base)) * (bottom - top);
  context.font = FONT;
  context.fillStyle = palette.quiet;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const step = 1 - base > 0.35 ? 0.2 : 0.1;
  for (let share = 1; share > base - 1e-9; share -= step) {
    context.beginPath();
    context.moveTo(left, y(share));
    context.lineTo(right, y(share));
    context.stroke();
    context.fillText(`${Math.round(100 * share)} %`, left - 6, y(share));
  }
  context.textBaseline = "top";
  context.textAlign = "center";
  for (const tick of decades(1, last)) context.fillText(short(tick), Math.min(x(tick), right - 6), bottom + 5);
  context.fillText("evaluations", (left + right) / 2, bottom + 20);
  context.strokeStyle = palette.positive;
  context.lineWidth = 2.5;
  context.lineJoin = "round";
  context.beginPath();
  points.forEach(([evaluation, share], i) => {
    if (i) context.lineTo(x(evaluation), y(points[i - 1][1]));
    if (i) context.lineTo(x(evaluation), y(share));
    else context.moveTo(x(evaluation), y(share));
  });
  const [, end] = points.at(-1);
  context.lineTo(x(search.evaluations), y(end));
  context.stroke();
  dot(context, x(search.evaluations), y(end), 5, palette.positive, palette.card, 2);
}
