#!/bin/sh
# All days: the sums of what count.sh wrote, the page that was asked for most first.
#
#   total.sh FOLDER
set -eu
printf '%-20s %8s %8s %8s\n' PAGE ASKED FAILED MIB
cat "$1"/????-??-?? | awk '
  {asked[$1] += $2; failed[$1] += $3; bytes[$1] += $4}
  END {
    for (page in asked) {
      printf "%-20s %8d %8d %8.1f\n", page, asked[page], failed[page], bytes[page] / 1048576
    }
  }' | LC_ALL=C sort -k 2,2nr -k 1,1
