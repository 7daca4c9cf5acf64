"""The parts of tools/results.

  comparisons  which sweeps there are (data)
  sweeps       one sweep: what it would run, what is done, and running it
  page         tables of what came out, beside what came out before (pure)
"""
