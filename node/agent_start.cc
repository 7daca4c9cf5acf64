// SPDX-License-Identifier: MIT
#include <filesystem>
#include <sodium.h>

#include "node/agent.h"
#include "node/net/resolve.h"
#include "node/net/secret.h"
#include "node/wall_clock.h"
#include "sched/resources.h"

// How an agent comes to life, in the order in which things can go wrong.
namespace dunlin::node {
namespace {

constexpr std::uint64_t kMebibyte = 1 << 20;

Result<void> make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return failure_of(error.value(), "cannot create the data directory " + path);
  return {};
}

/// A size already checked by validate(); "0" is 0.
std::uint64_t limit_bytes(const std::string& text) {
  return text == "0" ? 0 : *sched::parse_memory(text) * kMebibyte;
}

/// Where to join: all addresses of all contacts.
Result<std::vector<overlay::Endpoint>> contacts_of(const std::string& join) {
  std::vector<overlay::Endpoint> contacts;
  for (const std::string& item : split_list(join)) {
    const auto addresses = resolve(item, kDefaultPort);
    if (!addresses) return failure(addresses.error().kind, "agent.join: " + addresses.error().text);
    for (const overlay::Address& address : *addresses) contacts.push_back({{}, address});
  }
  return contacts;
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  randombytes_buf(&seed, sizeof(seed));
  return seed;
}

}  // namespace

Result<void> Agent::start() {
  start_sodium();
  AgentOptions& options = configuration_.agent;
  const Machine machine = detect_machine();
  if (options.name.empty()) options.name = machine.hostname.substr(0, 63);
  if (options.data_dir.empty()) options.data_dir = default_data_dir();
  if (options.key_file.empty()) options.key_file = default_key_file();
  if (options.socket.empty()) options.socket = default_socket(options.data_dir);
  const auto offer = make_offer(machine, options);
  if (!offer) return tl::unexpected(offer.error());
  rng_.emplace(random_seed());

  if (auto opened = open_state(); !opened) return opened;
  if (auto opened = open_executor(); !opened) return opened;
  if (auto opened = open_network(); !opened) return opened;
  if (auto opened = open_peer(*offer); !opened) return opened;

  control_.emplace(*this);
  if (auto listening = control_->listen(options.socket); !listening) return listening;
  transport_->on_control([this](std::shared_ptr<ControlConnection> connection) {
    control_->adopt(std::move(connection));
  });

  wakeup_.emplace(loop_, [this] { wakeup_at_ = overlay::kNever; });
  housekeeping_.emplace(loop_, [this] { run_periodic(); });
  housekeeping_->at(now() + std::chrono::seconds(1));
  lonely_told_ = now() - std::chrono::seconds(50);
  uv_prepare_start(
      settle_.get(), [](uv_prepare_t* prepare) { static_cast<Agent*>(prepare->data)->settle(); });

  const sched::NodeSpec& self = peer_->self();
  log_.say(overlay::Level::info, "started",
      {{"node", to_string(id())}, {"name", self.name},
          {"address", overlay::to_string(self.endpoint.address)}, {"cluster", cluster()},
          {"life", std::to_string(self.incarnation)}, {"offers", sched::to_string(self.total)},
          {"limits", self.limits}, {"socket", options.socket}, {"version", self.version}});
  return {};
}

Result<void> Agent::open_state() {
  const AgentOptions& options = configuration_.agent;
  auto keyring = Keyring::load(options.key_file);
  if (!keyring) return tl::unexpected(keyring.error());
  keyring_ = std::move(*keyring);

  if (auto made = make_directory(options.data_dir); !made) return made;
  auto store = SqliteStore::open(
      options.data_dir, options.sync == Sync::full ? Synchronous::full : Synchronous::normal);
  if (!store) return tl::unexpected(store.error());
  store_ = std::move(*store);

  auto identity = Identity::load_or_create(options.data_dir);
  if (!identity) return tl::unexpected(identity.error());
  identity_ = std::move(*identity);

  auto output = OutputStore::open({.directory = options.data_dir + "/output",
      .total_limit = limit_bytes(options.output_limit),
      .task_limit = limit_bytes(options.output_task_limit)});
  if (!output) return tl::unexpected(output.error());
  output_.emplace(std::move(*output));
  return {};
}

Result<void> Agent::open_executor() {
  const AgentOptions& options = configuration_.agent;
  auto warden = find_warden();
  if (!warden) return tl::unexpected(warden.error());
  auto executor = ProcessExecutor::open(
      loop_, *output_,
      {.node_name = options.name,
          .directory = options.data_dir + "/tasks",
          .warden = std::move(*warden),
          .label = to_string(identity_->id()),
          .limits = options.limits,
          .cpu_quota = options.cpu_quota,
          .kill_grace = options.kill_grace},
      [this](const sched::JobId& job, const sched::Report& report) {
        exits_.push_back({.job = job, .report = report});
      },
      [this](const std::string& note) {
        log_.say(overlay::Level::warn, "executor", {{"note", note}});
      });
  if (!executor) return tl::unexpected(executor.error());
  executor_ = std::move(*executor);
  return {};
}

Result<void> Agent::open_network() {
  const auto incarnation = store_->next_incarnation();
  if (!incarnation) return tl::unexpected(incarnation.error());
  auto transport = Transport::open(loop_,
      {.bind = configuration_.agent.bind,
          .advertise = configuration_.agent.advertise,
          .params = configuration_.transport},
      *identity_, *keyring_, *incarnation,
      [this](const overlay::Endpoint& from, Layer layer, std::span<const std::byte> bytes) {
        receive(from, layer, bytes);
      });
  if (!transport) return tl::unexpected(transport.error());
  transport_ = std::move(*transport);
  incarnation_ = *incarnation;
  return {};
}

Result<void> Agent::open_peer(const Offer& offer) {
  const auto contacts = contacts_of(configuration_.agent.join);
  if (!contacts) return tl::unexpected(contacts.error());
  auto jobs = store_->restore();
  if (!jobs) return tl::unexpected(jobs.error());
  // To read a large database takes seconds, and the loop's clock stood still meanwhile.
  uv_update_time(&loop_);
  const Clocks clocks{.now = now(), .wall_ns = wall_clock_ns()};
  for (sched::StoredJob& job : *jobs) {
    if (job.job.submitted_at == 0) continue;
    job.submitted = loop_time_of(job.job.submitted_at, clocks);
  }
  auto books = store_->raft().restore();
  if (!books) return tl::unexpected(books.error());

  output_service_.emplace(loop_, *output_,
      [this](const overlay::Endpoint& to, const Message& message) { send(to, message); });
  const sched::NodeSpec self = {.endpoint = transport_->self(),
      .incarnation = incarnation_,
      .name = configuration_.agent.name,
      .total = offer.total,
      .attributes = offer.attributes,
      .limits = executor_->limits(),
      .version = DUNLIN_VERSION};
  peer_.emplace(configuration_.peer, self, *contacts);
  peer_->restore(host(), std::move(*jobs));
  // Others keep the same books: rather none than damaged ones.
  return peer_->restore_books(host(), std::move(*books));
}

}  // namespace dunlin::node
