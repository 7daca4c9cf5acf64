"""The parts of tools/bench that only start programs which are built already: compare, grow and start.

  figures     medians, sign test, exponents, and which way a figure is better (pure)
  svg         pictures, drawn by hand (pure)
  builds      the programs of a folder, or of a git revision that is built first
  processes   children that end with this program, and processor time
  agents      a cluster of agents in a folder of its own, as `dunlin dev` makes it
  connection  a client of an agent's control protocol, with many requests under way
  compare     two builds in turns
  axes        what grows, and what it costs, for each axis
  grow        how the cost of each axis grows
  start       from submit to first instruction, hand-over by hand-over
"""
