// SPDX-License-Identifier: MIT
#include "tools/dunlin/examples.h"

#include <algorithm>
#include <iterator>
#include <utility>

// Of at most 80 columns, as the helps are. A test reads each line as the program would.
namespace dunlin::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kExamples[] = {
    {"dev", R"(Examples:
  dunlin dev
  dunlin dev --nodes 3 --cpus 2 --memory 1G --set cyclon.period=250ms)"},
    {"run", R"(Examples:
  dunlin run -- echo hello
  dunlin run --cpus 2 --memory 4G --time-limit 1h -- ./train --epochs 10
A task for each number, or for each line of a file:
  dunlin run --count 100 -- ./render --frame %{TASK_INDEX}
  dunlin run --each-line urls.txt -- ./fetch %{ENTRY}
A shell on some node:
  dunlin run --pty -- bash)"},
    {"submit", R"(Examples:
  dunlin submit --count 1000 --cpus 0.5 -- ./render --frame %{TASK_INDEX}
  dunlin submit --array 0-99%10 --retries 2 -- ./step %{ENTRY}
A job file, and a job that waits for another one:
  dunlin submit -f job.toml
  dunlin submit --after 12 -- ./merge)"},
    {"wait", R"(Examples:
  dunlin wait
  dunlin wait 12 13 --timeout 10m)"},
    {"logs", R"(Examples:
  dunlin logs -f last
Some tasks of a job of another node, and what the first attempt wrote:
  dunlin logs merlin.12.0-9
  dunlin logs 12.3 --attempt 1)"},
    {"cancel", R"(Examples:
  dunlin cancel last
  dunlin cancel 12.0-9)"},
    {"retry", R"(Examples:
  dunlin retry 12 --failed
  dunlin retry 12 --task 3-7,9)"},
    {"set", R"(Examples:
  dunlin set 12 --priority 40 --deadline 2h)"},
    {"jobs", R"(Examples:
  dunlin jobs --all --user ann --since 2h
  dunlin jobs --name 'train*' --sort oldest)"},
    {"job", R"(Examples:
  dunlin job 12 --tasks --state failed
Which of its many tasks stand where:
  dunlin job 12 --bins
The job file of a job, to submit it again:
  dunlin job 12 --file)"},
    {"explain", R"(Examples:
  dunlin explain last)"},
    {"nodes", R"(Examples:
  dunlin nodes --columns node,state,attributes)"},
    {"web", R"(Examples:
  dunlin web
For a proxy in front, which all users of this machine reach:
  dunlin web --all-users --https --host dunlin.example --listen 127.0.0.1:8780)"},
    {"web token", R"(Examples:
  dunlin web token --read-only --expires 30d --note board
  dunlin web token --list)"},
    {"metrics", R"(Examples:
  dunlin metrics --textfile /var/lib/node_exporter/dunlin.prom
What Prometheus raises alarms by, and what Grafana shows:
  dunlin metrics --alerts > /etc/prometheus/dunlin-alerts.yml
  dunlin metrics --grafana > dunlin-board.json)"},
    {"events", R"(Examples:
  dunlin events -f --event 'job_*')"},
    {"agent", R"(Examples:
  dunlin agent --join node1,node2 --attributes rack=7,ssd=yes
  dunlin agent --config /etc/dunlin/agent.toml)"},
    {"node overlay", R"(Examples:
  dunlin node overlay merlin --columns node,rank,round-trip)"},
    {"node drain", R"(Examples:
  dunlin node drain merlin --reason 'new memory' --deadline 1h
  dunlin node drain merlin --off)"},
    {"share set", R"(Examples:
  dunlin share set gold 5 silver 3)"},
    {"keygen", R"(Examples:
  dunlin keygen
To change the key of a cluster:
  dunlin keygen --add -o cluster.key)"},
    {"params", R"(Examples:
  dunlin params worker
  dunlin params agent.bind --agent)"},
    {"completion", R"(Examples:
  dunlin completion bash
In the shell's own file, ~/.bashrc:
  source <(dunlin completion bash)
For zsh, in a folder of $fpath; for fish, in ~/.config/fish/completions:
  dunlin completion zsh > ~/.zfunc/_dunlin
  dunlin completion fish > ~/.config/fish/completions/dunlin.fish)"},
    {"man", R"(Examples:
  dunlin man node drain
  dunlin man dunlin.toml
  dunlin man --all /usr/local/share/man)"},
};

}  // namespace

// Empty for a command with a help that says all that an example would.
std::string_view examples_of(std::string_view path) {
  // Few enough to look through: this is done once in a run, for a help or a page.
  const auto* const found =
      std::ranges::find_if(kExamples, [&](const auto& each) { return each.first == path; });
  return found == std::end(kExamples) ? std::string_view() : found->second;
}

}  // namespace dunlin::cli
