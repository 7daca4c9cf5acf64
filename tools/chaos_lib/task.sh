#!/bin/sh
# A task of tools/chaos. It leaves marks in the campaign's own directory, which no fault touches: that it
# began and ended, where, for which job and as which attempt. What it prints can be foretold.
base="$CHAOS_MARKS/$CHAOS_TOKEN.$DUNLIN_TASK_INDEX.$DUNLIN_ATTEMPT.$$"
echo "$DUNLIN_NODE $DUNLIN_JOB_ID" >"$base.begun"
if [ "$CHAOS_LICENCES" -gt 0 ]; then
  # The kernel's own word on whether two tasks hold one licence at the same time.
  exec 9>"$CHAOS_MARKS/licence-$DUNLIN_NODE"
  flock -n 9 || : >"$base.overlap"
fi
{
  echo "begin $CHAOS_TOKEN $DUNLIN_JOB_ID $DUNLIN_TASK_INDEX $DUNLIN_ATTEMPT $DUNLIN_NODE" &&
    seq -f "$CHAOS_TOKEN $DUNLIN_TASK_INDEX line %.0f" "$CHAOS_LINES" &&
    sleep "$CHAOS_PAUSE" 9>&- &&
    echo "end $CHAOS_TOKEN $DUNLIN_TASK_INDEX"
} 2>"$base.errors" || : >"$base.short" # The task itself was told that its output is not whole.
[ -s "$base.errors" ] || rm "$base.errors"
echo "$DUNLIN_NODE $DUNLIN_JOB_ID" >"$base.ended"
[ "$CHAOS_FAILS" -eq 0 ] || [ $((DUNLIN_TASK_INDEX % CHAOS_FAILS)) -ne 0 ] || exit 3
exit 0
