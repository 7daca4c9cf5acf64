// SPDX-License-Identifier: MIT
#include "tests/scenario/interpreter.h"

#include <algorithm>
#include <sstream>

#include "overlay/param_entries.h"
#include "sched/constraints.h"
#include "sched/peer_view.h"
#include "sched/resources.h"
#include "tests/scenario/describe.h"
#include "tests/support/builders.h"

namespace dunlin::test {
namespace {

const Time kBegin{std::chrono::seconds(100)};

std::size_t number(const std::string& text) {
  return std::stoul(text);
}
std::size_t node(const std::string& text) {
  return number(text) - 1;
}

JobId job_id(const std::string& text) {
  const auto slash = text.find('/');
  return {.home = {number(text.substr(0, slash))},
      .number = static_cast<std::uint32_t>(number(text.substr(slash + 1)))};
}

std::string job_name(const JobId& job) {
  return std::to_string(job.home.value) + "/" + std::to_string(job.number);
}

std::uint32_t amount(const std::string& text) {
  return static_cast<std::uint32_t>(number(text));
}

/// Words that tell a node's attributes from its resources.
bool is_resource(const std::string& key) {
  return key == "cpu" || key == "memory" || key == "gpu";
}

void set_resource(sched::Resources& resources, const std::string& key, const std::string& value) {
  if (key == "cpu")
    resources.cpu = sched::parse_cpu(value).value();
  else if (key == "memory")
    resources.memory = amount(value);
  else
    sched::set_amount(resources, key, amount(value));
}

}  // namespace

std::string Interpreter::run(std::string_view line) {
  output_.clear();
  std::istringstream in{std::string(line)};
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  try {
    dispatch(words);
  } catch (const std::exception& error) {
    show("cannot " + std::string(line) + ": " + error.what());
  }
  if (world_ && !world_->failure().empty()) show("BROKEN " + world_->failure());
  return output_;
}

void Interpreter::dispatch(const Words& words) {
  const std::string& verb = words.at(0);
  if (verb == "set")
    set(words.at(1));
  else if (verb == "watch")
    watched_.insert(words.begin() + 1, words.end());
  else if (verb == "events")
    events_ = words.at(1) == "on";
  else if (verb == "nodes")
    add_nodes(words);
  else if (verb == "submit")
    submit(words);
  else if (verb == "cancel" || verb == "retry" || verb == "requeue")
    cancel_or_retry(words);
  else if (verb == "hold" || verb == "release" || verb == "terms")
    change(words);
  else if (verb == "drain" || verb == "undrain")
    world().drain(node(words.at(1)), verb == "drain");
  else if (verb == "crash")
    world().crash(node(words.at(1)));
  else if (verb == "crash_agent")
    world().crash_agent(node(words.at(1)));
  else if (verb == "pause")
    world().pause(node(words.at(1)));
  else if (verb == "erase")
    world().erase_disk(node(words.at(1)));
  else if (verb == "break" || verb == "mend")
    world().break_down(node(words.at(1)), verb == "break");
  else if (verb == "lose_tasks")
    world().lose_tasks(node(words.at(1)));
  else if (verb == "restart")
    world().restart(node(words.at(1)));
  else if (verb == "leave")
    world().leave(node(words.at(1)));
  else if (verb == "lose" || verb == "double")
    tamper(words);
  else if (verb == "cut")
    world().network().cut(node(words.at(1)), node(words.at(2)));
  else if (verb == "heal")
    world().network().heal();
  else if (verb == "run")
    world().run_for(overlay::parse_duration(words.at(1)).value());
  else if (verb == "jobs")
    show_jobs();
  else if (verb == "workers")
    show_workers();
  else
    show("unknown command: " + verb);
}

World& Interpreter::world() {
  if (world_) return *world_;
  options_.network.latency_min = options_.network.latency_max = std::chrono::milliseconds(1);
  world_ = std::make_unique<World>(options_);
  world_->filter([this](auto... args) { return on_message(args...); });
  world_->on_event = [this](std::size_t at, const sched::Event& event) {
    if (events_) show_now(std::to_string(at + 1) + " " + to_string(event));
  };
  return *world_;
}

void Interpreter::set(const std::string& assignment) {
  const auto equals = assignment.find('=');
  std::vector<overlay::ParamEntry> entries;
  for_each_section(
      options_.params, [&](auto& section) { overlay::append_entries(section, entries); });
  const auto entry =
      std::ranges::find(entries, assignment.substr(0, equals), &overlay::ParamEntry::key);
  if (entry == entries.end()) return show("no such parameter: " + assignment);
  const auto result = entry->set(assignment.substr(equals + 1));
  if (!result) show(result.error().text);
}

void Interpreter::add_nodes(const Words& words) {
  NodeConfig config;
  config.total = {.cpu = 2000, .memory = 4096, .custom = {}};
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    const std::string value = words[i].substr(equals + 1);
    if (is_resource(key))
      set_resource(config.total, key, value);
    else
      config.attributes.push_back({key, value});
  }
  std::ranges::sort(config.attributes, {}, &sched::Attribute::key);
  world().add(number(words.at(1)), config);
}

void Interpreter::submit(const Words& words) {
  Script script;
  sched::Job job = job_of(tasks(1));
  sched::TaskGroup& group = job.groups.front();
  group.demand = {.cpu = 1000, .memory = 100, .custom = {}};
  bool whatever = false;
  for (std::size_t i = 2; i < words.size(); ++i) {
    const auto equals = words[i].find('=');
    const std::string key = words[i].substr(0, equals);
    const std::string value = words[i].substr(equals + 1);
    if (is_resource(key))
      set_resource(group.demand, key, value);
    else if (key == "tasks")
      group.count = amount(value);
    else if (key == "lasting")
      script.duration = overlay::parse_duration(value).value();
    else if (key == "status")
      script.status = static_cast<std::int32_t>(amount(value));
    else if (key == "failing")
      script.attempts_failing = static_cast<std::uint16_t>(amount(value));
    else if (key == "suspend")
      job.on_preempt = sched::OnPreempt::suspend;
    else if (key == "priority")
      group.priority = static_cast<std::int16_t>(amount(value));
    else if (key == "at_once")
      group.at_once = amount(value);
    else if (key == "retries")
      group.retries = static_cast<std::uint16_t>(amount(value));
    else if (key == "limit")
      group.time_limit = overlay::parse_duration(value).value();
    else if (key == "deadline")
      job.deadline = overlay::parse_duration(value).value();
    else if (key == "constraint")
      group.constraints.push_back(sched::parse_constraint(value).value());
    else if (key == "whatever")
      whatever = true;
    else
      return show("submit knows no " + key);
  }
  group.spec = script.spec();
  const auto id = world().submit(node(words.at(1)), std::move(job), whatever);
  show(id ? "job " + job_name(*id) : "refused: " + id.error().text);
}

JobId Interpreter::named(const std::string& word) {
  const JobId job = job_id(word);
  const auto& jobs = sched::frontend_of(world().peer(World::node_of(job.home))).jobs();
  const auto known = jobs.find(job.number);
  return known == jobs.end() ? job : known->second.id();
}

void Interpreter::cancel_or_retry(const Words& words) {
  const JobId job = named(words.at(1));
  const std::size_t home = World::node_of(job.home);
  std::vector<std::uint32_t> which;
  for (std::size_t i = 2; i < words.size(); ++i) which.push_back(amount(words[i]));
  if (words[0] == "requeue") return void(world().requeue(home, job, which));
  const auto result =
      words[0] == "cancel" ? world().cancel(home, job, which) : world().retry(home, job, which);
  if (!result) show("refused: " + result.error().text);
}

void Interpreter::change(const Words& words) {
  const JobId job = named(words.at(1));
  sched::JobChange change;
  if (words[0] != "terms") change.held = words[0] == "hold";
  for (std::size_t i = 2; i < words.size(); ++i) {
    const std::string value = words[i].substr(words[i].find('=') + 1);
    if (words[i].starts_with("priority="))
      change.terms.priority = static_cast<std::int16_t>(amount(value));
    else
      change.terms.deadline = overlay::parse_duration(value).value();
  }
  const auto result = world().change(World::node_of(job.home), job, change);
  if (!result) show("refused: " + result.error().text);
}

void Interpreter::tamper(const Words& words) {
  Tampering tampering{.kind = words.at(1), .count = amount(words.at(2))};
  tampering.times = words[0] == "double" ? 2 : 0;
  for (std::size_t i = 3; i < words.size(); ++i) {
    if (words[i].starts_with("from=")) tampering.from = number(words[i].substr(5));
    if (words[i].starts_with("to=")) tampering.to = number(words[i].substr(3));
  }
  tamperings_.push_back(tampering);
}

unsigned Interpreter::on_message(std::size_t from, std::size_t to, const AnyMessage& any) {
  const auto* message = std::get_if<sched::Message>(&any);
  if (message == nullptr) return 1;
  const std::string kind(kind_of(any));
  unsigned times = 1;
  for (Tampering& each : tamperings_) {
    const bool applies = each.count > 0 && each.kind == kind &&
        (each.from == 0 || each.from == from + 1) && (each.to == 0 || each.to == to + 1);
    if (!applies) continue;
    --each.count;
    times = each.times;
    break;
  }
  if (watched_.contains(kind)) {
    const char* const fate = times == 0 ? " (lost)" : times == 2 ? " (doubled)" : "";
    show_now(
        std::to_string(from + 1) + ">" + std::to_string(to + 1) + " " + describe(*message) + fate);
  }
  return times;
}

void Interpreter::show_jobs() {
  for (std::size_t at = 0; at < world().size(); ++at) {
    if (!world().up(at)) continue;
    for (const auto& [number, job] : sched::frontend_of(world().peer(at)).jobs()) {
      std::string line = "job " + job_name(job.id()) + ":";
      for (std::uint32_t i = 0; i < job.task_count(); ++i) {
        line +=
            " " + std::string(sched::kTaskStateWords[static_cast<std::size_t>(job.task(i).state)]);
        const auto binding = job.bindings().find(i);
        if (binding != job.bindings().end()) {
          line += "@" + std::to_string(binding->second.worker.id.value) + "." +
              std::to_string(binding->second.attempt);
        }
        if (const auto* result = world().store(at).result(job.id(), i)) {
          line += "(" +
              std::string(sched::kOutcomeWords[static_cast<std::size_t>(result->outcome)]) + "=" +
              std::to_string(result->status) + " attempt " + std::to_string(result->attempt) + ")";
        }
      }
      show(line);
    }
  }
}

void Interpreter::show_workers() {
  for (std::size_t at = 0; at < world().size(); ++at) {
    if (!world().up(at)) continue;
    const sched::Peer& peer = world().peer(at);
    const sched::Worker* worker = peer.worker();
    const auto count = [&](auto&& of) {
      return std::to_string(worker == nullptr ? std::size_t{0} : of(*worker).size());
    };
    show("worker " + std::to_string(at + 1) + ": " +
        count([](const auto& w) { return w.running(); }) + " running, " +
        count([](const auto& w) { return w.asking(); }) + " asking, " +
        count([](const auto& w) { return std::span(w.queue().waiting()); }) + " queued, " +
        count([](const auto& w) { return w.outbox().items(); }) + " to report, free " +
        sched::to_string(sched::free_of(peer)));
  }
}

void Interpreter::show(const std::string& line) {
  output_ += line + "\n";
}

void Interpreter::show_now(const std::string& line) {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(world_->now() - kBegin);
  const std::string millis = std::to_string(since.count() % 1000);
  show(std::to_string(since.count() / 1000) + "." + std::string(3 - millis.size(), '0') + millis +
      " " + line);
}

}  // namespace dunlin::test
