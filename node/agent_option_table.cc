// SPDX-License-Identifier: MIT
#include "node/agent_options.h"
#include "overlay/params/param_table.h"

// The settings of an agent, one line each: bounds and meaning stand beside the name, and flags,
// files, environment, manual and `dunlin params` all come from here. A setting without a line does
// not compile.
namespace dunlin::overlay {

template <>
inline constexpr std::string_view kSection<node::AgentOptions> = "agent";
template <>
inline constexpr auto kParams<node::AgentOptions> = std::tuple{
    Param<&node::AgentOptions::name>{{}, "Name of this node for people. Empty: the host's name."},
    Param<&node::AgentOptions::data_dir>{{},
        "Where identity, jobs, results and output are kept. Empty: /var/lib/dunlin for root, else "
        "$XDG_STATE_HOME/dunlin or ~/.local/state/dunlin."},
    Param<&node::AgentOptions::key_file>{{},
        "The cluster key, made by `dunlin keygen`. Empty: /etc/dunlin/cluster.key for root, else "
        "$XDG_CONFIG_HOME/dunlin/cluster.key or ~/.config/dunlin/cluster.key."},
    Param<&node::AgentOptions::socket>{{},
        "The Unix socket for local clients. Empty: /run/dunlin/agent.sock for root, else "
        "$XDG_RUNTIME_DIR/dunlin/agent.sock, else agent.sock in data_dir."},
    Param<&node::AgentOptions::bind>{{},
        "Address and port to listen on, UDP and TCP; [::]:7700 takes IPv4 as well, and "
        "stands for 0.0.0.0:7700 on a kernel without IPv6."},
    Param<&node::AgentOptions::advertise>{{},
        "The address others reach us by. Empty: the bound one; of several, that from which a "
        "contact is reached, where others see us, or that of the best interface."},
    Param<&node::AgentOptions::join>{{},
        "Any other agents of the cluster, HOST or HOST:PORT, separated by commas. One that is up "
        "is enough; it is asked until it answers."},
    Param<&node::AgentOptions::cpus>{
        {}, "CPUs offered to tasks, such as 4 or 3.5. auto: those this process may use."},
    Param<&node::AgentOptions::memory>{{},
        "Memory offered to tasks, such as 30G. auto: the machine's, or that of the agent's own "
        "cgroup, less a reserve for the system."},
    Param<&node::AgentOptions::disk_read>{{},
        "What its disks can read for tasks, such as 200M/s. Empty: not declared, so tasks that ask "
        "for some find no limit here."},
    Param<&node::AgentOptions::disk_write>{{}, "What its disks can write; as disk_read."},
    Param<&node::AgentOptions::net_in>{{},
        "What tasks can receive by the network, such as 100M/s. auto: the speed of the link of the "
        "default route, if the kernel tells it. Empty: not declared, as for disk_read."},
    Param<&node::AgentOptions::net_out>{{}, "What tasks can send; as net_in."},
    Param<&node::AgentOptions::resources>{
        {}, "Custom resources, such as gpu=2,license=5. GPUs found under /dev are added."},
    Param<&node::AgentOptions::devices>{{},
        "Custom resources whose units are devices, such as gpu,fpga: a task is told the numbers of "
        "its own, from 0, in DUNLIN_GPUS, DUNLIN_FPGAS."},
    Param<&node::AgentOptions::attributes>{{},
        "Attributes for constraints, such as rack=7,ssd=yes, beside those found (os, arch, kernel "
        "...)."},
    Param<&node::AgentOptions::limits>{
        {}, "Means by which demands are enforced: auto, v2 or v1 (cgroups), rlimit, none."},
    Param<&node::AgentOptions::cpu_quota>{{},
        "true: a task never gets more CPU time than it asked for. false: it may use idle CPUs."},
    Param<&node::AgentOptions::pids_max>{{0, 4194304},
        "Processes and threads that one task may have at once, where cgroups enforce it; 0 is no "
        "limit."},
    Param<&node::AgentOptions::uid_min>{{1, 4'294'967'294},
        "Where tasks run as their owners, those with an id below are refused. Tasks of root, and "
        "of "
        "the agent's user, run as the agent's user."},
    Param<&node::AgentOptions::delegates>{{},
        "Unix users of this machine, separated by commas, who may make requests for other users, "
        "such as that of a web gateway. Each acts with the rights of the user whom it names."},
    Param<&node::AgentOptions::priority_max>{
        {0, 100}, "The highest priority that users may ask for; administrators may go beyond."},
    Param<&node::AgentOptions::jobs_per_user>{{0, 1'000'000},
        "Unfinished jobs that one user may have at this agent; 0 is no limit. Administrators have "
        "none."},
    Param<&node::AgentOptions::tasks_per_user>{{0, 1'000'000'000},
        "Unfinished tasks that one user may have at this agent; 0 is no limit. Administrators have "
        "none."},
    Param<&node::AgentOptions::job_mebibytes_per_user>{{0, 1'000'000},
        "MiB of commands, scripts, lines and inputs of unfinished jobs that one user may have at "
        "this agent, in memory and on disk; 0 is no limit. Administrators have none."},
    Param<&node::AgentOptions::quota>{{},
        "CPU time that jobs of a user or a class, taken by this agent, may hold in a day by UTC, "
        "such as user:alice=2h, user:*=3600, class:gold=100h; then no more are taken until the "
        "next. A number is of seconds. Administrators have none."},
    Param<&node::AgentOptions::kill_grace>{{std::chrono::seconds(0), std::chrono::minutes(10)},
        "Time from SIGTERM to SIGKILL in which a task may end by itself."},
    Param<&node::AgentOptions::warden>{{},
        "What starts the warden, which runs the tasks. agent: the agent, if it finds none. "
        "service: "
        "a service manager, by the unit dunlin-warden."},
    Param<&node::AgentOptions::stop>{{},
        "What the first SIGTERM does. drain: running tasks may end, until drain_deadline. keep: "
        "they "
        "run on, and the next agent of this data directory takes them back if it comes within "
        "worker.reattach_within. SIGUSR2 always keeps them."},
    Param<&node::AgentOptions::drain_deadline>{{std::chrono::seconds(0), std::chrono::hours(24)},
        "After the first SIGTERM, how long running tasks may go on."},
    Param<&node::AgentOptions::leave_deadline>{{std::chrono::seconds(0), std::chrono::hours(1)},
        "When they have ended, the longest wait for other nodes to take over the cells that this "
        "one manages or keeps books of."},
    Param<&node::AgentOptions::health>{{},
        "A shell command that judges this node, such as /etc/dunlin/health. If it fails, the node "
        "takes no tasks, and the first line of its output says why. Empty: none."},
    Param<&node::AgentOptions::health_period>{
        {std::chrono::milliseconds(100), std::chrono::hours(24)},
        "Time from the end of the health command to its next run."},
    Param<&node::AgentOptions::health_timeout>{
        {std::chrono::milliseconds(100), std::chrono::hours(1)},
        "A health command that runs longer is killed, and has failed."},
    Param<&node::AgentOptions::on_end_timeout>{{std::chrono::seconds(1), std::chrono::hours(24)},
        "A command for the end of a job (--on-end) that runs longer is stopped, and has failed."},
    Param<&node::AgentOptions::sync>{{},
        "When records reach the disk. full: before anybody is told. normal: a power cut may lose "
        "the last ones, the death of the agent none."},
    Param<&node::AgentOptions::machine_id>{{},
        "A file that tells this machine from others, as machine-id(5) does: a data directory that "
        "was copied to another machine is refused. Empty, or a file without an id: not compared."},
    Param<&node::AgentOptions::machine>{{},
        "The name of this machine: the standbys of a job are on other machines than its home, so "
        "that one machine's end takes no job. Empty: by agent.machine_id."},
    Param<&node::AgentOptions::output_limit>{{},
        "Room for all kept output, in blocks of the disk. Beyond, jobs of the user that keeps the "
        "most go, the oldest first."},
    Param<&node::AgentOptions::output_task_limit>{
        {}, "Room for what one task writes to stdout or stderr; 0 is no limit."},
    Param<&node::AgentOptions::disk_free_min>{{},
        "Free room on the disk of the data directory below which the node is sick and takes no "
        "tasks. auto: 5 % of the disk or 1GiB, the smaller; 0: however little there is."},
    Param<&node::AgentOptions::output_copy>{{},
        "Of what a task of a job with replicas wrote, so much of the end of stdout and of stderr "
        "goes "
        "to the job's home and its standbys; at most 512KiB, 0: nothing."},
    Param<&node::AgentOptions::log_level>{{}, "The least important events that are logged."},
    Param<&node::AgentOptions::log_format>{{}, "Form of a line: text, or one JSON object."},
};

void append_entries(node::AgentOptions& params, std::vector<ParamEntry>& entries) {
  append_table(params, entries);
}

}  // namespace dunlin::overlay
