// A race of mutation laws: every run is a dot that drops when the clock passes its runtime.
import { FONT, SMALL_FONT, TAU, counted, decades, fit, short, whole } from "./paint.js";
import { viewOf } from "./views.js";

const AXIS = 34;
const PICTURE = 92;
const NARROW_PICTURE = 64;

// Columns of dots, filled from below in the order of the runs.
function stack(times, bins, most) {
  const columns = Array.from({ length: bins }, () => []);
  times.forEach((time, run) => {
    const bin = Math.min(bins - 1, Math.floor((Math.log(time) / Math.log(most)) * bins));
    columns[bin].push({ time, run });
  });
  for (const column of columns) column.sort((a, b) => a.time - b.time);
  return columns;
}

// `lanes`: { law, words, times, done (of the runs that ended with success), search (the run that is shown) }.
export class RaceView {
  constructor(palette) {
    this.palette = palette;
    this.views = new Map();
  }

  draw(canvas, lanes, { clock, most }) {
    const { context, width, height } = fit(canvas);
    const { palette } = this;
    context.fillStyle = palette.paper;
    context.fillRect(0, 0, width, height);
    if (!lanes.length) return;
    const narrow = width < 560;
    const picture = narrow ? NARROW_PICTURE : PICTURE;
    const left = picture + 16;
    const right = width - 14;
    const each = (height - AXIS) / lanes.length;
    const x = (time) => left + (Math.log(time) / Math.log(most)) * (right - left);
    this.drawAxis(context, { left, right, bottom: height - AXIS, most, x });
    this.drawClock(context, { x: x(Math.min(Math.max(clock, 1), most)), bottom: height - AXIS, clock, left, right });
    lanes.forEach((lane, i) => {
      const top = i * each;
      const bottom = top + each;
      const colour = palette.neurons[i % palette.neurons.length];
      this.drawPicture(context, lane, { x: 4, y: top + (each - picture) / 2 + 8, side: Math.min(picture, each - 18) });
      this.drawTitle(context, lane, { left, right, top, clock, colour, narrow });
      this.drawDots(context, lane, {
        left,
        right,
        top: top + (narrow ? 40 : 44),
        bottom: bottom - 4,
        clock,
        most,
        colour,
      });
      context.strokeStyle = palette.line;
      context.lineWidth = 1;
      context.beginPath();
      context.moveTo(left, bottom - 0.5);
      context.lineTo(right, bottom - 0.5);
      context.stroke();
    });
  }

  drawAxis(context, { left, right, bottom, most, x }) {
    const { palette } = this;
    context.font = SMALL_FONT;
    context.fillStyle = palette.quiet;
    context.strokeStyle = palette.line;
    context.textAlign = "center";
    context.textBaseline = "top";
    for (const tick of decades(1, most)) {
      context.globalAlpha = 0.5;
      context.beginPath();
      context.moveTo(x(tick), 0);
      context.lineTo(x(tick), bottom);
      context.stroke();
      context.globalAlpha = 1;
      context.fillText(short(tick), Math.min(x(tick), right - 8), bottom + 4);
    }
    context.textAlign = "left";
    context.fillText("evaluations", left, bottom + 19);
  }

  // The network of the run that is shown.
  drawPicture(context, { search }, { x, y, side }) {
    if (!search) return;
    if (this.views.get(search.task) === undefined) this.views.set(search.task, viewOf(search.task, this.palette));
    context.save();
    context.translate(x, y);
    this.views.get(search.task).draw(context, { width: side, height: side }, search.genome);
    context.restore();
  }

  drawTitle(context, { law, words, times, done }, { left, right, top, clock, colour, narrow }) {
    const { palette } = this;
    const home = times.filter((time, run) => done[run] && time <= clock).length;
    // Behind the words there is paper, not the clock's line.
    context.fillStyle = palette.paper;
    context.fillRect(left, top, right - left, narrow ? 38 : 28);
    context.textBaseline = "top";
    context.textAlign = "left";
    context.font = `600 15px system-ui, sans-serif`;
    context.fillStyle = colour;
    context.fillText(law, left, top + 6);
    const after = left + context.measureText(law).width + 10;
    context.font = narrow ? SMALL_FONT : FONT;
    context.fillStyle = palette.quiet;
    if (!narrow) context.fillText(words, after, top + 8);
    else context.fillText(words, left, top + 24, right - left);
    if (!times.length) return;
    const count = `${whole(home)} of ${whole(times.length)} home`;
    context.textAlign = "right";
    context.fillStyle = palette.ink;
    context.fillText(count, right - 6, top + 8);
  }

  drawDots(context, { times, done }, { left, right, top, bottom, clock, most, colour }) {
    if (!times.length) return;
    const bins = Math.max(12, Math.floor((right - left) / 9));
    const wide = (right - left) / bins;
    const columns = stack(times, bins, most);
    const tallest = Math.max(...columns.map((column) => column.length));
    const step = Math.min(wide, (bottom - top) / tallest);
    const radius = Math.max(1.2, 0.42 * Math.min(wide, step));
    columns.forEach((column, bin) => {
      let height = 0;
      for (const { time, run } of column) {
        if (time > clock) break;
        context.fillStyle = done[run] ? colour : this.palette.wrong;
        context.beginPath();
        context.arc(left + (bin + 0.5) * wide, bottom - 3 - (height + 0.5) * step, radius, 0, TAU);
        context.fill();
        height += 1;
      }
    });
  }

  drawClock(context, { x, bottom, clock, left, right }) {
    context.strokeStyle = this.palette.ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.moveTo(x, 0);
    context.lineTo(x, bottom + 4);
    context.stroke();
    context.font = `600 ${SMALL_FONT}`;
    context.fillStyle = this.palette.ink;
    context.textBaseline = "top";
    const text = counted(Math.max(1, Math.floor(clock)), "evaluation");
    const room = context.measureText(text).width / 2;
    context.textAlign = "center";
    context.fillText(text, Math.min(Math.max(x, left + 84 + room), right - room), bottom + 19);
  }
}
