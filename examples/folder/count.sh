#!/bin/sh
# One day: how often each page was asked for, how often that failed, and how many bytes went out.
#
#   count.sh LOG FOLDER            writes FOLDER/DAY
set -eu
mkdir -p "$2"
name=${1##*/}
result=$2/${name%.log.gz}
# Under another name first: a task may run again, and half a count must never look whole.
gzip -dc "$1" | awk '
  {++asked[$4]; failed[$4] += $5 >= 400; bytes[$4] += $6}
  END {for (page in asked) print page, asked[page], failed[page], bytes[page]}' >"$result.$$"
mv "$result.$$" "$result"
