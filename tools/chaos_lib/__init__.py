"""The parts of tools/chaos, a campaign of faults against real agents in network namespaces.

  sandbox      namespaces of this campaign alone, which end with it, whatever ends it
  network      the nodes' network: cuts and loss
  control      a client of an agent's control protocol
  node         one machine: its disk, its agent, its warden
  cluster      all of them, their key, and whether they see each other
  load         jobs that check themselves, and the book of what was acknowledged
  observation  what the agents, the tasks and the kernel say
  invariants   what must hold of it (pure)
  plan         which faults, drawn from a seed (pure)
  faults_*     how each fault is done and undone
  campaign     rounds of faults, and checks after each
  report       what is printed
"""
