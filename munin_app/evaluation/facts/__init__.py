"""How right the learned facts are: labelled exchanges and PrefEval, over the same service that the app uses."""
