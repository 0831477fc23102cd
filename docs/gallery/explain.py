"""Explain a row.

Why did this wine get its class? `explain` asks the rules about the row as a reader would: which
conditions hold, by how much, and what is the smallest change of a single column that changes the
answer. That change is exact. In the picture a bar to the right is a condition that holds. More in
[explain and deploy a rule](../howto/explain_deploy.md).
"""

from sklearn.datasets import load_wine

from hyperna import NAClassifier, explain, export_text
from hyperna.plots import plot_explanation

wine = load_wine()
classifier = NAClassifier(max_terms=4, random_state=0)
classifier.fit(wine.data, wine.target_names[wine.target])
print(export_text(classifier, wine.feature_names), end="\n\n")
(explanation,) = explain(classifier, wine.data[[25]], feature_names=wine.feature_names)
print(explanation)

figure = plot_explanation(explanation).figure
figure.savefig("explain.png")
