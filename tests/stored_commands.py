"""Tables, campaigns and commands whose answers are stored."""

TABLE = """x,y,mass,sweet,kind
0.9,0.1,1,1,plum
0.8,0.4,2,1,plum
0.7,-0.2,1,0,pear
-0.5,0.6,3,1,pear
-0.3,-0.8,1,0,fig
-0.9,-0.1,2,0,fig
0.2,0.9,1,1,pear
0.1,-0.7,1,0,fig
0.85,0.2,1,1,plum
-0.1,0.5,2,0,pear
-0.6,-0.5,1,1,fig
0.6,0.3,1,1,plum
"""
TOML = """runs = 4
resolution = [24, 36, 48, 60]
[[settings]]
problem = ["quarter", "local_opt"]
mutation = ["harmonic", "local"]
[[settings]]
problem = "half"
bias = false
runs = 3
[[settings]]
problem = "two_quarters"
resolution = 24
algorithm = ["na", "rls", "one_plus_lambda"]
budget = 2000
[[settings]]
problem = "sweet.csv"
resolution = 24
label = "sweet"
neurons = 2
budget = 50
"""
OTHER = """runs = 3
budget = 400
[[settings]]
problem = "quarter"
resolution = [12, 16, 20, 24, 28, 32]
target = [0.8, 0.9]
mutation = ["harmonic", "local", "uniform", "pareto", "cauchy", "power_law:exponent=1.5"]
[[settings]]
problem = "half"
dim = 3
points = 64
resolution = 24
sampling = ["sobol", "even"]
replace_neuron = [0.0, 0.1]
[[settings]]
problem = "arcs"
k = 2
resolution = 24
neurons = "evolved"
max_neurons = 3
output = ["or", "xor"]
"""
# Campaigns whose reports have other sentences: few runs, none that succeed, one law, many.
SMALL = [
    'runs = 1\nproblem = "half"\nresolution = 12',
    'runs = 3\nproblem = "quarter"\ntarget = 1.0\nbudget = 5\nresolution = 24',
    'runs = 3\nproblem = "quarter"\ntarget = 1.0\nbudget = 5\nresolution = [24, 36]',
    'runs = 4\nproblem = "local_opt"\nmutation = ["local", "harmonic"]\nresolution = 24',
    'runs = 2\nproblem = ["half", "two_quarters"]\nneurons = 2\noutput = "xor"\nresolution = 12',
    'runs = 2\nproblem = "half"\nonline = 20\nbudget = 50\nresolution = [12, 24, 48]',
    'runs = 2\nproblem = "quarter"\nneuron = "bent"\nbias = false\nrestarts = "auto"',
    'runs = 2\nproblem = "half"\nalgorithm = ["cma_es", "random_search"]\nbudget = 60',
]
REFUSED = [
    "run quarter --algorithm rls --animate some.gif",
    "run quarter --judge-once",
    "run quarter --online 5 --points 9",
    "run quarter --neurons 0",
    "run quarter --resolution 1",
    "run quater",
    "run sweet.csv --label swet",
    "run arcs",
    "run quarter --mutation pareto:shap=2",
    "run quarter --all",
    "theory half --neurons 3",
    "theory cube",
    "theory quarter --resolution 100000",
    "theory two_quarters --neurons 2 --resolution 1000",
    "fit moons --label x",
    "fit moons --class-weight 5=1",
    "fit table.csv --ignore kinds",
    "predict table.csv table.csv",
    "compare xor --classifiers nearest",
    "compare xor --folds 1",
    "dataset moon",
    "dataset moons:n=2",
    "campaign run none.toml",
    "campaign status none.store",
    "report none.store -o some.html",
    "reproduce --table 12",
]

RUN = [
    "quarter",
    "quarter --resolution 48 --mutation local --target 0.9",
    "half --no-bias --redraw-void --mutation uniform",
    "two_quarters --output evolved --neurons 3 --budget 3000 --resolution 24",
    "two_quarters --output and --restarts auto --budget 2000",
    "local_opt --stagnation 80 --restarts 2 --mutation-probability 0.3",
    "local_opt --mutation pareto:shape=1.5 --resolution 1000",
    "arcs --k 3 --replace-neuron 0.2 --mutation self_adjusting",
    "arcs --arcs 0-90,100-200 --neurons evolved --max-neurons 3 --budget 2000",
    "quarter --neuron bent --no-bias",
    "quarter --dim 3 --init sphere --move rotation --budget 2000",
    "half --dim 4 --points 200 --sampling random --budget 1000",
    "quarter --online 20 --budget 500",
    "quarter --online 20 --judge-once --target none --budget 300",
    "cube --dim 3 --neurons 4 --output xor",
    "sweet.csv --label sweet --weight mass --scale --budget 200 --neurons 2",
    "quarter --algorithm rls --mutation local --target none --budget 3000",
    "quarter --algorithm annealing --budget 500",
    "quarter --algorithm one_plus_lambda:offspring=4 --seed 3",
    "half --algorithm random_search --target 0.95",
]
THEORY = [
    "quarter --resolution 24",
    "local_opt --resolution 36 --mutation local --quantiles 0.1,0.5",
    "half --resolution 40 --no-bias --redraw-void",
    "half --resolution 160 --no-bias --mutation uniform",
    "quarter --resolution 20 --mutation uniform --mutation-probability 0.4 --target 0.85",
    "two_quarters --resolution 8 --neurons 2 --output xor --mutation local",
    "two_quarters --resolution 8 --neurons 2 --no-bias --output and",
    "arcs:k=3 --resolution 12",
]
FIT = [
    "table.csv --label kind --ignore mass,sweet",
    "xor",
    "moons --neurons 3 --output or --tie-break none",
    "moons --neurons 2 --output evolved --move angle --init grid --restarts 1",
    "circles --neuron bent --output and --neurons 1 --stagnation 300",
    "moons --neurons 1 --class-weight 0=1,1=3 --resolution 50",
    "sweet.csv --neurons auto --class-weight balanced --restarts 0 --mutation local",
    "quarter_d3 --no-scale --init sphere --neurons 2 --output xor --tie-break 0.1 --seed 3",
    "circles",
    "circles --neuron bent --output or --neurons 2 --init grid",
    "moons --output evolved",
    "moons --output and --neurons auto --move angle --seed 1",
    "two_quarters_d5 --output or --init sphere --restarts 4",
    "two_quarters_d5 --output xor --tie-break none --resolution 300",
    "two_quarters_d5 --neurons 1",
    "sweet.csv --ignore mass --class-weight balanced --neurons 3 --mutation uniform",
]
COMPARE = [
    "compare table.csv --label kind --classifiers logistic,knn --folds 3",
    "compare xor --classifiers na,logistic --folds 2 --repeats 2 --rotate --seed 4",
]
OTHERS = [
    "compare --list",
    "dataset moons:n=12,noise=0.1",
    "dataset sphere:problem=two_quarters,dim=4,rotated=true,n=6",
    "dataset --list --json",
    "dataset --list",
    "dataset xor:n=5 -o some.csv",
    "list",
    "compare xor --classifiers logistic --folds 2 --repeats 1 --markdown",
    "compare table.csv xor --classifiers tree,knn --folds 2 --all --json --seed 3",
    "fit moons --seed 5 --max-evals 400 --neurons 2",
    "fit table.csv --label kind --ignore mass --max-evals 300",
    "run quarter --runs 4 --all --json --seed 9 --jobs 2",
    "run half --runs 3 --animate film.html",
    "reproduce --quick --runs 2 --table 1 9 10 --jobs 1 --json --out more",
]
OTHER_ALGORITHMS = [
    "cma_es:representation=cartesian --budget 300 --stagnation 50 --restarts 2",
    "differential_evolution --budget 200",
    "dual_annealing --target 0.9 --budget 200",
    "discrete_one_plus_one_es --output evolved --neurons 2 --budget 60",
    "neat:population=15 --budget 40",
    "mu_plus_one:members=3,crossover=0.5 --neurons 2 --budget 300",
    "one_comma_lambda:offspring=3 --budget 300",
    "annealing:temperature=0.2,cooling=0.9 --budget 300 --redraw-void",
]
OTHERS += [f"run quarter --runs 3 --json --all --algorithm {text}" for text in OTHER_ALGORITHMS]
SHOWN = [
    "list",
    "dataset --list",
    "compare --list",
    "run quarter --runs 7",
    "run two_quarters --neurons 3 --output evolved --runs 3 --budget 300",
    "theory local_opt --resolution 24 --mutation local",
    "compare xor --classifiers logistic,tree --folds 2 --repeats 2 --rotate",
    "campaign status some.store",
]
# Endings of the files that hold a chain.
CHAIN = ("lab", "srew", "sta", "tra", "storm.lab", "storm.rew", "storm.tra")
PICTURE = r'<(?:path|circle)[^>]*class="[^>]*>'
