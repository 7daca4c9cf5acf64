// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/remote_text.h"

// A step tells what it found by lines "dunlin:WORD VALUE", since a login shell may print what it
// likes around them. A step that fails tells so by "dunlin:fail REASON", and ends with status 1.
// Where an agent lives is chosen anew by each step, by the same rules: so nothing that the desk
// remembers can point it to a directory of another.
namespace dunlin::cli::remote {

const std::string_view kCommon = R"sh(
umask 077
LC_ALL=C
PATH=$PATH:/usr/bin:/bin:/usr/sbin:/sbin
export LC_ALL PATH
unset DUNLIN_ADDRESS DUNLIN_KEY CDPATH
say() { printf 'dunlin:%s\n' "$*"; }
fail() { say "fail $*"; exit 1; }

# The nearest directory of $1 that exists.
above() {
  at=$1
  while [ ! -d "$at" ]; do at=$(dirname -- "$at"); done
  printf '%s\n' "$at"
}

# By statfs: is the file system below $1 local, shared among hosts, or none that is known?
kind_of() {
  case $(stat -f -c %T -- "$(above "$1")" 2>/dev/null) in
    ext2/ext3|ext4|xfs|btrfs|zfs|tmpfs|ramfs|overlayfs|f2fs|jfs|reiserfs|bcachefs|ufs) echo local ;;
    nfs*|smb*|cifs|lustre|gpfs|ceph|afs|k-afs|gfs*|ocfs2|panfs|fhgfs|acfs|snfs|ibrix) echo shared ;;
    coda|novell|9p|v9fs|vboxsf|vmhgfs|prl_fs|pvfs2|aufs-nfs|beegfs) echo shared ;;
    *) echo unknown ;;
  esac
}

# Chooses the directory $base: as --dir says, else in the home if that is a local disk, else in
# /var/tmp. Paths of sockets have 107 bytes.
place() {
  if [ -n "$want" ]; then
    case $want in
      '~') base=$HOME ;;
      '~/'*) base=$HOME/${want#'~/'} ;;
      /*) base=$want ;;
      *) fail "--dir $want: it must begin with / or ~/" ;;
    esac
    [ "$(kind_of "$base")" != shared ] ||
      fail "$base is on a shared file system, where all hosts would be one node:" \
        "name a directory of a local disk with --dir"
    [ ${#base} -le 80 ] || fail "$base: a path of a socket would be too long: at most 80 bytes"
  else
    base=${HOME:-/nowhere}/.dunlin/$cluster
    if [ ! -d "${HOME:-/nowhere}" ] || [ ! -w "$HOME" ] || [ ${#base} -gt 80 ] ||
      [ "$(kind_of "$base")" != local ]; then
      base=/var/tmp/dunlin-$(id -u)/$cluster
      [ "$(kind_of "$base")" != shared ] ||
        fail "home and /var/tmp are on shared file systems, where all hosts would be one node:" \
          "name a directory of a local disk with --dir"
    fi
  fi
  resolve
}

# The kernel tells paths of programs without symbolic links.
resolve() {
  [ ! -d "$base" ] || base=$(cd -- "$base" && pwd -P) || fail "$base cannot be entered"
}

# Others may write in /var/tmp: what lies there must be ours before a key goes there.
make_base() {
  parent=$(dirname -- "$base")
  mkdir -p -- "$base" || fail "$base cannot be made"
  case $base in
    /var/tmp/*) [ -O "$parent" ] && [ ! -h "$parent" ] || fail "$parent belongs to another user" ;;
  esac
  [ -O "$base" ] && [ ! -h "$base" ] || fail "$base belongs to another user"
  chmod 700 -- "$base" || fail "$base cannot be closed to others"
  : >>"$base/.dunlin-launch" || fail "$base cannot be written"
  resolve
}

# Sets $pid to the process of the agent that was launched here (empty: none runs), and $running to
# the hash of its programs.
find_agent() {
  pid=
  running=
  [ -r "$base/agent.pid" ] || return 0
  read -r pid <"$base/agent.pid" || pid=
  case $pid in
    ''|*[!0-9]*)
      pid=
      return 0
      ;;
  esac
  program=$(readlink "/proc/$pid/exe" 2>/dev/null) || program=
  case $program in
    "$base/programs/"*) ;;
    *)
      # The number is another process's by now.
      pid=
      return 0
      ;;
  esac
  running=${program#"$base/programs/"}
  running=${running%%/*}
}

# Asks the agent, with its own programs. Fails if it does not answer.
look() {
  [ -S "$base/agent.sock" ] || return 1
  told=$(timeout 5 "$base/programs/$running/dunlin" status --json --address "$base/agent.sock" \
    2>/dev/null) || return 1
}

# The text member $1 of what it told.
member() { printf '%s\n' "$told" | sed -n "s/^  \"$1\": \"\(.*\)\",\{0,1\}\$/\1/p"; }
number() { printf '%s\n' "$told" | sed -n "s/^  \"$1\": \([0-9]*\),\{0,1\}\$/\1/p"; }

tell_agent() {
  say "running $running"
  say "state $(member state)"
  say "address $(member address)"
  say "name $(member name)"
  say "version $(member version)"
  say "tasks $(number running)"
}

# How many nodes it knows, itself among them.
nodes_known() {
  timeout 5 "$base/programs/$running/dunlin" nodes --quiet --address "$base/agent.sock" \
    2>/dev/null | wc -l
}

# Waits until the agent's process has ended; fails after $1 s.
wait_gone() {
  end=$(($(date +%s) + $1))
  while find_agent && [ -n "$pid" ]; do
    [ "$(date +%s)" -lt "$end" ] || return 1
    sleep 0.1
  done
}

hash_of() { sha256sum <"$1" | cut -d ' ' -f 1; }
)sh";

// These are for the steps that start an agent. The caller may lose its connection at any line: so
// what is not finished is found, and begun anew, by the next step.
const std::string_view kStarting = R"sh(
# Becomes the agent, below a service manager where one keeps it when we leave, else by itself.
run_agent() {
  [ -x "$base/programs/$hash/dunlin" ] || fail "$base/programs/$hash lacks the programs"
  ln -sfn -- "$hash" "$base/programs/current"
  # With its own process id in a file, since it becomes what it starts.
  printf '%s\n' 'echo $$ >"$1"' 'shift' 'exec "$@"' >"$base/start" || fail "$base cannot be written"
  set --
  while IFS= read -r word; do set -- "$@" "$word"; done <"$base/arguments"
  set -- /bin/sh "$base/start" "$base/agent.pid" "$base/programs/$hash/dunlin" agent \
    --data-dir="$base/data" --key-file="$base/cluster.key" --socket="$base/agent.sock" "$@"
  rm -f -- "$base/agent.pid"
  if ! by_systemd "$@"; then
    setsid "$@" </dev/null >>"$base/agent.log" 2>&1 &
  fi
}

# KillMode=process: its warden, which keeps the tasks, lives on when the agent restarts.
by_systemd() {
  command -v systemd-run >/dev/null || return 1
  manager=--system
  if [ "$(id -u)" -ne 0 ]; then
    # Without linger the user's manager ends with the last session, and the agent with it.
    command -v loginctl >/dev/null || return 1
    manager=--user
    XDG_RUNTIME_DIR=${XDG_RUNTIME_DIR:-/run/user/$(id -u)}
    export XDG_RUNTIME_DIR
    [ -S "$XDG_RUNTIME_DIR/systemd/private" ] || return 1
    loginctl enable-linger >/dev/null 2>&1 || [ -e "/var/lib/systemd/linger/$(id -un)" ] || return 1
  fi
  [ -d /run/systemd/system ] || return 1
  systemd-run "$manager" --quiet --collect --unit="dunlin-launch-$cluster" \
    -p KillMode=process -p Delegate=yes -p StandardOutput="append:$base/agent.log" \
    -p StandardError="append:$base/agent.log" "$@" </dev/null >/dev/null 2>&1
}

# Waits until it answers, and knows $1 nodes.
wait_up() {
  end=$(($(date +%s) + patience))
  seen=0
  silent=0
  while :; do
    find_agent
    if [ -n "$pid" ]; then
      seen=1
      silent=0
      if look && [ "$(nodes_known)" -ge "$1" ]; then
        tell_agent
        return 0
      fi
    else
      # A program that just begins is not seen at once.
      silent=$((silent + 1))
      if [ "$silent" -ge $((seen ? 3 : 40)) ]; then
        fail "the agent ended at once: $(tail -n 2 -- "$base/agent.log" | tr '\n' ' ')"
      fi
    fi
    [ "$(date +%s)" -lt "$end" ] || break
    sleep 0.2
  done
  look || fail "the agent does not answer within $patience s: $(tail -n 1 -- "$base/agent.log")"
  fail "it runs, and found no other node in $patience s: is its port open to the others, by UDP" \
    "and TCP? It goes on looking for ${peers:-them}"
}
)sh";

}  // namespace dunlin::cli::remote
