// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <map>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "config/text.h"
#include "sim/report/progress.h"
#include "sim/report/write_file.h"
#include "sim/study/trials.h"

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX wants it so.

// A study is many independent runs, so trials are processes: they use all processors without a
// lock, and one that crashes takes no other along. A trial is named by the hash of all that
// determines it, and its output appears only whole; so a sweep that is interrupted goes on where it
// stopped, and a changed scenario reruns only what changed.
// The same commands go to this machine's processors, to a cluster of Dunlin (as one job, a task
// each), or to Slurm (as an array).
namespace dunlin::sim {
namespace {

std::string this_program() {
  std::error_code code;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", code);
  return code ? "dunlin-sim" : path.string();
}

/// Starts `words`, with their output in `out`. Returns 0 and sets errno on failure.
pid_t spawn(const std::vector<std::string>& words, int out) {
  // posix_spawn() takes words that are not const, and leaves them as they are.
  std::vector<char*> pointers;
  for (const auto& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, out, 1);
  posix_spawn_file_actions_adddup2(&files, out, 2);
  pid_t child = 0;
  const int code = posix_spawnp(&child, pointers[0], &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  errno = code;
  return code == 0 ? child : 0;
}

/// The same, with their output in a file.
pid_t spawn(const std::vector<std::string>& words, const std::string& log) {
  const int out = ::open(log.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (out < 0) return 0;
  const pid_t child = spawn(words, out);
  const int code = errno;
  ::close(out);
  errno = code;
  return child;
}

/// What a trial says. In memory, because what it has to say may be that the disk is full.
class TrialLog {
 public:
  TrialLog() : fd_(::memfd_create("trial", MFD_CLOEXEC)) {}
  TrialLog(TrialLog&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  TrialLog& operator=(TrialLog&&) = delete;
  ~TrialLog() {
    if (fd_ >= 0) ::close(fd_);
  }

  int fd() const { return fd_; }
  /// The end of it, where the reason stands.
  std::string text() const {
    constexpr off_t kMax = 4096;
    const off_t size = ::lseek(fd_, 0, SEEK_END);
    std::string text(static_cast<std::size_t>(std::clamp<off_t>(size, 0, kMax)), '\0');
    const ssize_t got = ::pread(fd_, text.data(), text.size(), std::max<off_t>(size - kMax, 0));
    text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return text;
  }

 private:
  int fd_;
};

/// "ended with status 1, and said:\n..."
std::string reason_of(int status, const std::string& said) {
  const std::string how = WIFSIGNALED(status)
      ? "was killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
          strsignal(WTERMSIG(status)) + ")"
      : "ended with status " + std::to_string(WEXITSTATUS(status));
  return how + (said.empty() ? ", and said nothing" : ", and said:\n" + said);
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  // As shells have it, so that no signal passes for success.
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Runs several trials at a time, each in a process.
class LocalRuns {
 public:
  LocalRuns(const Study& study, const std::vector<Trial>& trials, const RunnerOptions& options)
      : study_(study),
        trials_(trials),
        at_once_(options.at_once > 0 ? options.at_once
                                     : std::max(1u, std::thread::hardware_concurrency())),
        quiet_(options.quiet) {}

  Result<void> run() {
    const std::string program = this_program();
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      show();
      if (running_.size() == at_once_) finish_one();
      const auto words = command_of(study_, trials_[i], program);
      TrialLog log;
      const pid_t child = log.fd() < 0 ? 0 : spawn(words, log.fd());
      if (child == 0) return failure_of(errno, program);
      running_.emplace(child, Running{i, std::move(log)});
    }
    while (!running_.empty()) {
      show();
      finish_one();
    }
    show();
    progress_.finish();
    if (failed_ == 0) return {};
    return failure(ErrorKind::io,
        std::to_string(failed_) + " of " + std::to_string(trials_.size()) +
            " trials failed; the first: " + first_failure_);
  }

 private:
  void finish_one() {
    int status = 0;
    // Whichever ends first; the order of tables is that of the plan.
    // This process has no other children than trials.
    const pid_t child = waitpid(-1, &status, 0);
    const auto ended = running_.find(child);
    if (ended == running_.end()) return;
    const Trial& trial = trials_[ended->second.trial];
    const std::string said = ended->second.log.text();
    running_.erase(ended);
    ++done_;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    // The others run on: their results are good, and a sweep that is repeated needs only the failed
    // ones.
    if (failed_++ > 0) return;
    first_failure_ = shell_command_of(study_, trial, "dunlin-sim") + "\n" + reason_of(status, said);
  }
  void show() {
    if (!quiet_) progress_.show(static_cast<double>(done_) / static_cast<double>(trials_.size()));
  }

  const Study& study_;
  const std::vector<Trial>& trials_;
  std::size_t at_once_;
  bool quiet_;
  struct Running {
    std::size_t trial;
    TrialLog log;
  };
  std::map<pid_t, Running> running_;
  std::size_t done_ = 0;
  std::size_t failed_ = 0;
  std::string first_failure_;
  Progress progress_;
};

Result<std::string> write_commands(const Study& study, const std::vector<Trial>& trials) {
  const std::string path = study.folder + "/commands";
  std::string text;
  for (const Trial& trial : trials) text += shell_command_of(study, trial, this_program()) + '\n';
  if (auto written = write_file(path, text); !written) return tl::unexpected(written.error());
  return path;
}

std::vector<Trial> left_of(const std::vector<Trial>& trials) {
  std::vector<Trial> left;
  std::ranges::copy_if(trials, std::back_inserter(left), [](const auto& t) { return !is_done(t); });
  return left;
}

/// The job that a sweep before this one submitted; empty if there is none.
std::string job_in(const std::string& number_file) {
  std::string number;
  std::getline(std::ifstream(number_file) >> std::ws, number);
  // Else it is an error message that a failed submit left there.
  const bool plain = number.find_first_not_of("0123456789") == std::string::npos;
  return plain ? number : "";
}

// A sweep that was interrupted left its job to the cluster. The tasks that still run must not run
// twice.
void wait_for_earlier(const std::string& number_file, const std::string& log, bool quiet) {
  const std::string number = job_in(number_file);
  if (number.empty()) return;
  if (!quiet) std::fprintf(stderr, "waiting for job %s of an earlier sweep\n", number.c_str());
  const pid_t waiting = spawn({"dunlin", "wait", number}, log);
  // The job may have failed, or be long forgotten. Then its trials are run again.
  if (waiting != 0) wait_for(waiting);
}

// Each trial is a task of one job of a real cluster. Its nodes must see this folder.
Result<void> run_on_dunlin(const Study& study, std::vector<Trial> trials, bool quiet) {
  wait_for_earlier(study.folder + "/job", study.folder + "/wait.log", quiet);
  // Looked at anew after the wait: the earlier job may have done them.
  trials = left_of(trials);
  if (trials.empty()) return {};
  const auto commands = write_commands(study, trials);
  if (!commands) return tl::unexpected(commands.error());
  // `submit --quiet` prints nothing but the number of the job. It stays in a file, so that a sweep
  // after one that was broken off finds its job.
  const std::string number_file = study.folder + "/job";
  // An entry is a whole command line, which the shell takes apart.
  const pid_t submit = spawn({"dunlin", "submit", "--quiet", "--name", "sweep", "--each-line",
                                 *commands, "--", "/bin/sh", "-c", "eval \"$DUNLIN_ENTRY\""},
      number_file);
  if (submit == 0) return failure_of(errno, "dunlin");
  if (wait_for(submit) != 0) {
    std::ifstream said(number_file);
    const std::string text{std::istreambuf_iterator<char>(said), {}};
    std::filesystem::remove(number_file);
    return failure(ErrorKind::refused, "dunlin submit: " + text);
  }
  const std::string number = job_in(number_file);
  if (!quiet) std::fprintf(stderr, "job %s: %zu trials\n", number.c_str(), trials.size());
  const pid_t waiting = spawn({"dunlin", "wait", number}, study.folder + "/wait.log");
  if (waiting == 0) return failure_of(errno, "dunlin");
  const int waited = wait_for(waiting);
  std::filesystem::remove(number_file);
  // Both: a task may have succeeded and written to a folder that this machine does not see.
  if (waited == 0 && left_of(trials).empty()) return {};
  return failure(ErrorKind::refused,
      std::to_string(left_of(trials).size()) + " of " + std::to_string(trials.size()) +
          " trials failed, or wrote where this machine does not see it: dunlin logs " + number);
}

Result<bool> hand_to_slurm(const Study& study, const std::vector<Trial>& trials) {
  const auto commands = write_commands(study, trials);
  if (!commands) return tl::unexpected(commands.error());
  const std::string script = study.folder + "/sweep.sbatch";
  // Arrays of Slurm know numbers only, so each task takes its line of the file by number.
  std::ostringstream file;
  file << "#!/bin/sh\n"
       << "#SBATCH --job-name=dunlin-sweep\n#SBATCH --ntasks=1\n#SBATCH --cpus-per-task=1\n"
       << "#SBATCH --array=1-" << trials.size() << "\n"
       << "#SBATCH --output=" << config::shell_word(study.folder + "/slurm-%a.log") << "\n"
       << "exec sh -c \"$(sed -n \"${SLURM_ARRAY_TASK_ID}p\" " << config::shell_word(*commands)
       << ")\"\n";
  const auto written = write_file(script, file.str());
  if (!written) return tl::unexpected(written.error());
  const pid_t child = spawn({"sbatch", script}, study.folder + "/sbatch.log");
  const bool submitted = child != 0 && wait_for(child) == 0;
  const std::string then =
      "; when all have run, the same sweep without --on slurm makes the tables";
  if (!submitted) {
    return failure(ErrorKind::refused,
        (child == 0 ? "no sbatch here: submit " + script + " where there is one"
                    : "sbatch failed: see " + study.folder + "/sbatch.log, then submit " + script) +
            then);
  }
  std::fprintf(stderr, "submitted %s%s\n", script.c_str(), then.c_str());
  return false;
}

}  // namespace

Result<bool> run_trials(
    const Study& study, const std::vector<Trial>& trials, const RunnerOptions& options) {
  std::error_code code;
  std::filesystem::create_directories(study.folder + "/trials", code);
  if (code) return failure_of(code.value(), study.folder);
  const std::vector<Trial> left = left_of(trials);
  if (!options.quiet) {
    std::fprintf(stderr, "%zu trials, of which %zu are done already\n", trials.size(),
        trials.size() - left.size());
    const std::size_t others = other_results(study, trials);
    if (others > 0 && !left.empty()) {
      std::fprintf(stderr, "%zu results in %s/trials are of another build or other settings\n",
          others, study.folder.c_str());
    }
  }
  if (left.empty()) return true;
  if (options.runner == Runner::slurm) return hand_to_slurm(study, left);
  const auto ran = options.runner == Runner::dunlin ? run_on_dunlin(study, left, options.quiet)
                                                    : LocalRuns(study, left, options).run();
  if (!ran) return tl::unexpected(ran.error());
  return true;
}

}  // namespace dunlin::sim
