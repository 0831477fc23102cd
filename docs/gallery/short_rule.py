"""Short rules on breast cancer.

569 tumours with 30 measurements each. `max_terms` is the number of coefficients that you are
willing to read. The rule is the classifier: what is printed is what `predict` computes. The
accuracy is on folds that were left out, with its standard error. Data frames need pandas
(`hyperna[data]`). More in [a classifier you can read](../tutorials/scikit_learn.md).
"""

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict

from hyperna import NAClassifier, export_text
from hyperna.plots import plot_boundary

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
for terms in (1, 2, 5):
    classifier = NAClassifier(max_terms=terms, random_state=0)
    right = cross_val_predict(classifier, X, y, cv=10) == y
    error = right.std() / len(y) ** 0.5
    print(f"max_terms={terms}: held-out accuracy {right.mean():.3f} ± {error:.3f}")
    print(export_text(classifier.fit(X, y)), end="\n\n")

two = NAClassifier(max_terms=2, random_state=0).fit(X, y)
figure = plot_boundary(two, X, y).figure
figure.savefig("short_rule.png")
