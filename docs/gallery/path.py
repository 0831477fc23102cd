"""The path: what a longer rule is worth.

`path_` holds the best rule found for every number of terms. `validate_path` fits again without each
fold of the rows, so that every size is judged on rows that it has not seen. A shorter rule of the
path is there at once, without another fit: `classifier.at(terms=2)`. More in
[a classifier you can read](../tutorials/scikit_learn.md).
"""

from sklearn.datasets import load_breast_cancer

from hyperna import NAClassifier, export_text
from hyperna.plots import plot_path

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]
classifier = NAClassifier(max_terms=8, random_state=0).fit(X, y)
print(classifier.validate_path(X, y, cv=10))
print(export_text(classifier.at(terms=2), data.feature_names))

figure = plot_path(classifier).figure
figure.savefig("path.png")
