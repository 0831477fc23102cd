# The public names, for type checkers; hyperna itself reads here where it finds them.

from hyperna.run.algorithm import OnePlusOneNA as OnePlusOneNA
from hyperna.classifier import (
    NAClassifier as NAClassifier,
    explain as explain,
    export_code as export_code,
    export_text as export_text,
)
from hyperna.comparison import CLASSIFIERS as CLASSIFIERS, compare as compare
from hyperna.datasets import DATASETS as DATASETS, Dataset as Dataset, dataset as dataset
from hyperna.experiments.campaign import Campaign as Campaign
from hyperna.experiments.store import Store as Store
from hyperna.fitness import (
    ExactArcs as ExactArcs,
    ExactSphere as ExactSphere,
    FiniteSet as FiniteSet,
    Fitness as Fitness,
    Online as Online,
    Sampled as Sampled,
    fitness_of as fitness_of,
)
from hyperna.interop.onnx import export_onnx as export_onnx
from hyperna.network.grid import Grid as Grid
from hyperna.models import (
    load_model as load_model,
    save_model as save_model,
    table_pipeline as table_pipeline,
)
from hyperna.mutation import (
    LAWS as LAWS,
    Adaptive as Adaptive,
    Cauchy as Cauchy,
    Exponential as Exponential,
    Harmonic as Harmonic,
    Local as Local,
    Pareto as Pareto,
    PowerLaw as PowerLaw,
    StepLaw as StepLaw,
    Uniform as Uniform,
)
from hyperna.network.networks import Network as Network
from hyperna.problems.optimal import optimal_half_space as optimal_half_space
from hyperna.parallel import parallel_backend as parallel_backend
from hyperna.problems import (
    PROBLEMS as PROBLEMS,
    ArcProblem as ArcProblem,
    PointProblem as PointProblem,
    Problem as Problem,
    custom_arcs as custom_arcs,
    points as points,
    problem as problem,
    read_csv as read_csv,
)
from hyperna.run.relatives import (
    AnnealingNA as AnnealingNA,
    MuPlusOneNA as MuPlusOneNA,
    OneCommaLambdaNA as OneCommaLambdaNA,
    OnePlusLambdaNA as OnePlusLambdaNA,
    RandomisedLocalSearchNA as RandomisedLocalSearchNA,
)
from hyperna.run.results import RunResult as RunResult, Runs as Runs
from hyperna.fitness.sampling import (
    even_points as even_points,
    random_points as random_points,
    sobol_points as sobol_points,
)
from hyperna.theory import ExactRuntime as ExactRuntime, expected_runtime as expected_runtime

__version__: str
