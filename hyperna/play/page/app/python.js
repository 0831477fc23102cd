// Python lines that do what the page shows.
const text = (value) => JSON.stringify(value);
const truth = (value) => (value ? "True" : "False");

function problemLines(setting, facts) {
  const { dim: usual = 2 } = facts.problems[setting.problem];
  const dim = setting.dim === usual ? "" : `, dim=${setting.dim}`;
  if (setting.problem === "points") {
    const rows = setting.points.map((point) => `    [${point.join(", ")}],`);
    return [
      "table = [  # x, y, label",
      ...rows,
      "]",
      "problem = hyperna.points([p[:2] for p in table], [p[2] for p in table])",
    ];
  }
  let made = `hyperna.problem(${text(setting.problem)}${dim})`;
  if (setting.problem === "custom_arcs") {
    const arcs = setting.arcs.map(([start, end]) => `(${start}, ${end})`).join(", ");
    made = `hyperna.custom_arcs([${arcs}], unit="degree"${dim})`;
  } else if (setting.problem === "arcs") made = `hyperna.problem("arcs", k=${setting.k}${dim})`;
  if (setting.problem !== "cube" && setting.dim > 2)
    made = `hyperna.Sampled(${made}, n=${facts.sphere_points}, method="even")`;
  return [`problem = ${made}`];
}

function algorithm(setting, mutation) {
  const options = [`neurons=${setting.neurons}`];
  if (setting.neurons > 1) options.push(`output=${text(setting.output)}`);
  if (setting.neuron !== "plain") options.push(`neuron=${text(setting.neuron)}`);
  options.push(`resolution=${setting.resolution}`, `mutation=${mutation}`);
  if (!setting.bias) options.push(`bias=${truth(false)}`);
  return `hyperna.OnePlusOneNA(${options.join(", ")})`;
}

// What ends a run besides the default. A target is written where hyperna's own success takes more than the page
// computes: this is the rule of `PlaySetting.target` in hyperna/play/settings.py.
function limits(setting, task) {
  const found = [];
  const { score, target, optima } = task.goal;
  const evolved = setting.output === "evolved" && setting.neurons > 1;
  if (score === null && !optima.length) found.push("target=False");
  else if (target !== null && (evolved || (setting.dim > 2 && setting.problem !== "cube")))
    found.push(`target=${target}`);
  if (setting.restarts) found.push(`restarts=${setting.restarts}`);
  if (setting.stagnation) found.push(`stagnation=${setting.stagnation}`);
  return found.map((part) => `, ${part}`).join("");
}

export function runLines(setting, task, facts) {
  return [
    "import hyperna",
    "",
    ...problemLines(setting, facts),
    `na = ${algorithm(setting, text(setting.mutation))}`,
    `result = na.run(problem, seed=${setting.seed}${limits(setting, task)})`,
    'print(result.stop_reason, "after", result.evaluations, "evaluations")',
    "print(result.network)",
  ].join("\n");
}

export function raceLines(setting, task, facts, lanes, runs) {
  return [
    "import hyperna",
    "",
    ...problemLines(setting, facts),
    `for mutation in [${lanes.map(text).join(", ")}]:`,
    `    na = ${algorithm(setting, "mutation")}`,
    `    runs = na.run_many(problem, runs=${runs}, seed=${setting.seed}${limits(setting, task)})`,
    '    print(mutation, runs.evaluations.mean(), "evaluations,", runs.success.mean(), "of the runs succeed")',
  ].join("\n");
}

// Tables that scikit-learn has: how they are loaded, and which rows are positive.
const LOADED = {
  iris: {
    loader: "load_iris",
    lines: ["X, positive = data.data[:, 2:], data.target == 1"],
  },
  cancer: {
    loader: "load_breast_cancer",
    lines: [
      'columns = [list(data.feature_names).index(name) for name in ("worst radius", "worst texture")]',
      "X, positive = data.data[:, columns], data.target == 0",
    ],
  },
};

function tableLines(name, { points, classes }) {
  const [negative, positive] = classes.map(text);
  const loaded = LOADED[name];
  if (!loaded)
    return [
      "import hyperna",
      "",
      "table = [  # two features and a label",
      ...points.map((point) => `    [${point.join(", ")}],`),
      "]",
      "X, y = [row[:2] for row in table], [row[2] for row in table]",
    ];
  return [
    `from sklearn.datasets import ${loaded.loader}`,
    "",
    "import hyperna",
    "",
    `data = ${loaded.loader}()`,
    ...loaded.lines,
    `y = [${positive} if one else ${negative} for one in positive]`,
  ];
}

// The path, and the rule of it with so many terms.
export function ruleLines(name, table, { seed, terms = 1 }) {
  return [
    ...tableLines(name, table),
    `classifier = hyperna.NAClassifier(random_state=${seed}).fit(X, y)`,
    "print(classifier.path_)",
    `print(hyperna.export_text(classifier.at(${terms}), [${table.features.map(text).join(", ")}]))`,
  ].join("\n");
}
