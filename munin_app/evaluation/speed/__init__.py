"""`munin bench`: Munin, memory and learning on, against bare llama.cpp, interleaved in one run, as ratios.

`run.measure` gives `samples.Samples`, `report` turns them into one JSON object or a table.
"""
