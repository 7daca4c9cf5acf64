// SPDX-License-Identifier: MIT
#include "tools/dunlin/launch/remote_text.h"

// The steps, one script each. What they share is in remote_text.cc.
namespace dunlin::cli::remote {

// `have` and `key` let a launch that was broken off go on where it was; `agent mute` is a process
// without an answer, which is not to be started a second time.
const std::string_view kProbe = R"sh(
say "arch $(uname -m)"
say "libc $(getconf GNU_LIBC_VERSION 2>/dev/null || echo unknown)"
for tool in sha256sum stat df readlink setsid timeout; do
  command -v "$tool" >/dev/null || fail "there is no $tool: install coreutils and util-linux"
done
[ -d /proc/self ] || fail "there is no /proc"
place
say "dir $base"
df -Pk -- "$(above "$base")" | {
  read -r _
  read -r _ _ _ free _
  say "free $free"
}
for name in dunlin dunlin-agent dunlin-warden; do
  [ ! -x "$base/programs/$hash/$name" ] || say "have $name"
done
[ ! -s "$base/cluster.key" ] || say "key there"
find_agent
if [ -z "$pid" ]; then
  say "agent none"
elif look; then
  say "agent up"
  tell_agent
else
  say "agent mute"
  say "running $running"
fi
)sh";

// Standard input goes on with the program.
// A draft is renamed when its sum is right, so a program under its name is whole. The last one to
// arrive tries all of them: a library that is missing shows before an agent is stopped for it.
const std::string_view kPutProgram = R"sh(
place
make_base
folder=$base/programs/$hash
mkdir -p -- "$folder" || fail "$folder cannot be made"
draft=$folder/.$name.$$
trap 'rm -f -- "$draft"' EXIT
cat >"$draft" || fail "$folder cannot take $name: is the disk full?"
[ "$(hash_of "$draft")" = "$sum" ] || fail "$name arrived damaged, or not whole"
chmod 755 -- "$draft" && mv -f -- "$draft" "$folder/$name" || fail "$folder/$name cannot be written"
if [ -x "$folder/dunlin" ] && [ -x "$folder/dunlin-agent" ] && [ -x "$folder/dunlin-warden" ]; then
  for name in dunlin dunlin-agent; do
    said=$("$folder/$name" --version 2>&1) || {
      rm -f -- "$folder/$name"
      fail "$name does not run there: $(printf '%s' "$said" | tail -n 1)"
    }
  done
fi
)sh";

// Standard input goes on with the key file.
// Another key would make a cluster of its own of this host, so that is refused and not mended.
const std::string_view kPutKey = R"sh(
place
make_base
draft=$base/.key.$$
trap 'rm -f -- "$draft"' EXIT
cat >"$draft" || fail "$base cannot take the key: is the disk full?"
[ "$(wc -c <"$draft")" -eq "$size" ] || fail "the key did not arrive whole"
if [ ! -s "$base/cluster.key" ]; then
  mv -f -- "$draft" "$base/cluster.key" || fail "$base/cluster.key cannot be written"
elif ! cmp -s -- "$draft" "$base/cluster.key"; then
  fail "$base/cluster.key is another key: if the cluster's was changed, put it there as the guide" \
    "says (Keys); else dunlin launch --remove takes away what is there"
fi
chmod 600 -- "$base/cluster.key"
)sh";

// An agent that lives is left alone. With contacts it must know two nodes, or it would count as up
// and be a cluster of its own.
const std::string_view kStart = R"sh(
place
make_base
find_agent
if [ -z "$pid" ]; then
  mkdir -p -- "$base/data"
  settings >"$base/arguments" || fail "$base cannot be written"
  run_agent
fi
wanted=1
[ -z "$peers" ] || wanted=2
wait_up "$wanted"
)sh";

// The warden keeps the tasks while the agent of the new programs takes the place of the old one.
const std::string_view kRestart = R"sh(
place
find_agent
[ -n "$pid" ] || fail "no agent of this cluster runs there: dunlin launch starts it"
wanted=1
was=up
if look; then
  was=$(member state)
  [ "$(nodes_known)" -lt 2 ] || wanted=2
fi
old=$pid
kill -USR2 "$old" || fail "process $old cannot be told to restart"
settings >"$base/arguments" || fail "$base cannot be written"
wait_gone 15 || fail "the agent has not ended 15 s after SIGUSR2: look at $base/agent.log there"
run_agent
wait_up "$wanted"
[ "$running" = "$hash" ] || fail "the agent that is back runs other programs than these"
now=$(member state)
[ "$now" = up ] || [ "$now" = "$was" ] || fail "it is back, and $now: dunlin nodes says why"
)sh";

// After the first SIGTERM the agent waits for its tasks, and --drain leaves it at that.
const std::string_view kStop = R"sh(
place
find_agent
if [ -n "$pid" ]; then
  kill -TERM "$pid"
  # The second one stops its tasks: they run again elsewhere.
  if [ -z "$drain" ]; then
    wait_gone 1 || kill -TERM "$pid" 2>/dev/null
  fi
  wait_gone "$patience" ||
    fail "it has not ended $patience s after it was told to: its tasks may still run;" \
      "say it again, without --drain to stop them"
fi
rm -f -- "$base/agent.pid"
)sh";

// Only with the mark of make_base(): a mistyped --dir must not cost a directory of somebody's.
const std::string_view kRemove = R"sh(
place
if [ -d "$base" ]; then
  [ -f "$base/.dunlin-launch" ] || fail "$base was not made by dunlin launch: it stays"
  find_agent
  [ -z "$pid" ] || fail "an agent runs there"
  # A warden that just ends may still write there.
  rm -rf -- "$base" 2>/dev/null || sleep 1
  rm -rf -- "$base" || fail "not all of $base could be removed"
  rmdir -- "$(dirname -- "$base")" 2>/dev/null || :
fi
)sh";

}  // namespace dunlin::cli::remote
