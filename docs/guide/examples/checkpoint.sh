#!/bin/sh
# A task that yields without loss. SIGUSR1 asks it to make room: it ends the step at hand, saves how
# far it has come, and ends. Its next attempt, perhaps on another node, goes on there.
#
#   dunlin submit --on-preempt checkpoint --checkpoint-time 60s -- ./checkpoint.sh /shared/state 1000
#
# A step must take less than the checkpoint time. What was done since the last save is done again if
# the node dies, so a task whose steps are long saves from time to time as well.
set -eu
state=$1  # A file that all nodes see.
steps=$2
seconds=${3:-1}

asked=no
trap 'asked=yes' USR1

step=0
if [ -f "$state" ]; then step=$(cat "$state"); fi
while [ "$step" -lt "$steps" ]; do
  step=$((step + 1))
  sleep "$seconds"  # The work.
  echo "step $step"
  if [ "$asked" = yes ]; then
    echo "$step" >"$state.new"
    mv "$state.new" "$state"  # All of it or nothing, whatever happens.
    exit 0
  fi
done
