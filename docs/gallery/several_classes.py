"""Several classes.

With more than two classes the answer is a list of rules, which are asked one after the other: the
first one that holds decides, and what is left is the last class. The legend has the rules in the
order in which they are asked.
"""

from sklearn.datasets import load_iris

from hyperna import NAClassifier, export_text
from hyperna.plots import plot_boundary

iris = load_iris(as_frame=True)
X, y = iris.data, iris.target_names[iris.target]
classifier = NAClassifier(random_state=0).fit(X, y)
print(export_text(classifier))
print(
    f"{classifier.n_terms_} terms, accuracy {classifier.training_score_:.3f} on the training rows"
)

figure = plot_boundary(classifier, X, y).figure
figure.savefig("several_classes.png")
