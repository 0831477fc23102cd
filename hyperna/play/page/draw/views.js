// The view that suits a task.
import { CircleView } from "./circle.js";
import { PlaneView } from "./plane.js";
import { SphereView } from "./sphere.js";

export function viewOf(task, palette) {
  if (task.dim === 3) return new SphereView(task, palette);
  return task.fitness.turn ? new CircleView(task, palette) : new PlaneView(task, palette);
}
