// What is happening, in words: from a run to { tone, text, actions }.
import { reachesAll } from "../engine/laws.js";
import { counted, digits, percent, whole } from "../draw/paint.js";

// Evaluations without a better network after which the page wonders, and milliseconds that must have passed as well.
export const PATIENCE = 400;
export const LEAST_PAUSE = 1500;

// Why a run cannot go on.
function stuckText({ stuckOn, neighbours }) {
  if (stuckOn === "plateau") return "no way leads up from these equally good networks";
  return `every one of its ${whole(neighbours.count - 1)} neighbours is worse`;
}

function endNews(search) {
  const { ended, evaluations, task, restarts } = search;
  const { setting } = task;
  const starts = restarts ? `, with ${counted(restarts, "restart")}` : "";
  const more = [{ label: "New seed", act: "next" }];
  if (ended === "success") {
    return {
      tone: "good",
      text: `Solved after ${counted(evaluations, "evaluation")}${starts}.`,
      actions: [...more, { label: "Next scene", act: "onward" }],
    };
  }
  if (ended === "stuck") {
    const actions = [...more, { label: "Restart", act: "restart" }];
    if (setting.mutation === "local") actions.push({ label: "Try harmonic steps", act: "harmonic" });
    return { tone: "warn", text: `Stuck after ${counted(evaluations, "evaluation")}: ${stuckText(search)}.`, actions };
  }
  const why =
    ended === "budget"
      ? `the limit of ${whole(task.budget)} evaluations`
      : `${counted(setting.stagnation, "evaluation")} without improvement`;
  return {
    tone: "warn",
    text: `Stopped at ${why}: ${percent(search.share)} correct.`,
    actions: [...more, { label: "Restart", act: "restart" }],
  };
}

function stalledNews(search) {
  const hope = reachesAll(search.task.law) ? " Long steps can still leave it, sooner or later." : "";
  return {
    tone: "warn",
    text: `No better network for ${counted(search.idle, "evaluation")}: perhaps a local optimum.${hope}`,
    actions: [
      { label: "Wait", act: "wait" },
      { label: "New seed", act: "next" },
      { label: "Restart", act: "restart" },
    ],
  };
}

// `stalled`: whether it has been without improvement for so long that one may wonder.
export function newsOf(search, { playing, stalled }) {
  if (search.ended) return endNews(search);
  if (stalled) return stalledNews(search);
  if (search.evaluations === 1)
    return {
      tone: "calm",
      text: `A random network: ${percent(search.share)} of its answers are correct.`,
      actions: [],
    };
  const last =
    search.idle === 0
      ? "Just now the answer got better."
      : `Last improvement ${counted(search.idle, "evaluation")} ago.`;
  return { tone: "calm", text: playing ? last : `Paused. ${last}`, actions: [] };
}

// What is known exactly about the setting and about the way from here; null if nothing is.
export function knownText(search, landscape, exact) {
  if (search.ended === "success") return `Success means: ${search.task.goal.text}.`;
  if (!exact) return "";
  const here = landscape?.from(search.genome) ?? null;
  if (exact.probability < 1) {
    const start = `A run succeeds with probability ${percent(exact.probability)}`;
    return `${start}${here ? `, from here with ${percent(here.value)}` : ""} (exact).`;
  }
  const start = `Expected time of a run: ${digits(exact.mean)} evaluations`;
  return `${start}${here ? `, from here ${digits(here.value)} more` : ""} (exact).`;
}
