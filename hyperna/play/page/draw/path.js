// Errors against terms along a path of rules; the chosen rule is marked.
import { FONT, dot, fit } from "./paint.js";

// Places of the rules in the chart, for drawing and for clicks.
function layout({ width, height }, path) {
  const left = 52;
  const right = width - 16;
  const top = 14;
  const bottom = height - 40;
  const most = Math.max(...path.map(({ errors }) => errors), 1);
  const terms = Math.max(...path.map((rule) => rule.terms), 1);
  return {
    left,
    right,
    top,
    bottom,
    most,
    terms,
    x: (count) => left + 12 + (count / terms) * (right - left - 24),
    y: (errors) => bottom - (errors / most) * (bottom - top),
  };
}

export function drawPath(canvas, palette, path, chosen, shortest) {
  const size = fit(canvas);
  const { context } = size;
  if (!path.length) return;
  const { left, right, bottom, most, terms, x, y } = layout(size, path);
  context.font = FONT;
  context.fillStyle = palette.quiet;
  context.strokeStyle = palette.line;
  context.lineWidth = 1;
  context.textAlign = "right";
  context.textBaseline = "middle";
  const step = [1, 2, 5, 10, 20, 50, 100].find((value) => most / value <= 5) ?? 200;
  for (let errors = 0; errors <= most; errors += step) {
    context.beginPath();
    context.moveTo(left, y(errors));
    context.lineTo(right, y(errors));
    context.stroke();
    context.fillText(String(errors), left - 6, y(errors));
  }
  context.textAlign = "center";
  context.textBaseline = "top";
  for (let count = 0; count <= terms; count += 1) context.fillText(String(count), x(count), bottom + 6);
  context.fillText("terms", (left + right) / 2, bottom + 23);
  context.save();
  context.translate(9, (14 + bottom) / 2);
  context.rotate(-Math.PI / 2);
  context.textBaseline = "middle";
  context.fillText("errors", 0, 0);
  context.restore();
  context.strokeStyle = palette.positive;
  context.lineWidth = 2;
  context.beginPath();
  path.forEach((rule, i) =>
    i ? context.lineTo(x(rule.terms), y(rule.errors)) : context.moveTo(x(rule.terms), y(rule.errors)),
  );
  context.stroke();
  path.forEach((rule, i) => {
    const fill = i === chosen ? palette.positive : palette.card;
    dot(context, x(rule.terms), y(rule.errors), i === chosen ? 8 : 5, fill, palette.positive, 2);
    if (i === shortest) {
      context.fillStyle = palette.ink;
      context.fillText("★", x(rule.terms), y(rule.errors) - 20);
    }
  });
}

// The rule of a path that a click is nearest to.
export function ruleAt(canvas, path, offsetX) {
  const { x } = layout({ width: canvas.clientWidth, height: canvas.clientHeight }, path);
  const away = path.map((rule) => Math.abs(x(rule.terms) - offsetX));
  return away.indexOf(Math.min(...away));
}
