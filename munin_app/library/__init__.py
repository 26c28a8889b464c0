"""The model library: what models exist, which are here, adding and removing them. Loads and runs none."""
