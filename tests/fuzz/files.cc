// SPDX-License-Identifier: MIT
// The files that people write: configuration, key file, job file, and placeholders in commands.
#include "node/config.h"
#include "node/net/keyring.h"
#include "node/task/placeholders.h"
#include "overlay/param_entries.h"
#include "tests/fuzz/fuzz.h"
#include "tools/dunlin/jobs/job_file.h"

namespace dunlin::fuzz {
namespace {

void run_files(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const auto text = text_of(data + 1, size - 1);
  switch (data[0] % 4) {
    case 0: {
      node::Configuration configuration;
      auto entries = node::all_entries(configuration);
      const auto applied = node::apply_toml(text, "agent.toml", entries);
      ensure(applied || applied.error().text.starts_with("agent.toml"), "an error without a place");
      if (applied) (void)node::validate(configuration);
      break;
    }
    case 1: {
      const auto keyring = node::Keyring::parse(text, "cluster.key");
      ensure(!keyring ||
              node::Keyring::parse(keyring->format(), "")->keys().size() == keyring->keys().size(),
          "a key file that is not read as it was written");
      break;
    }
    case 2: {
      const auto job = cli::parse_job_file(text, "job.toml", "/jobs");
      ensure(job || job.error().text.starts_with("job.toml"), "an error without a place");
      break;
    }
    default: {
      node::PlaceholderValues values;
      values.entry = "%{ENTRY}";  // Must not be filled in again.
      values.node = "n";
      const auto filled = node::fill_placeholders(text, values, 4096);
      ensure(!filled || filled->size() <= 4096, "too long");
      ensure(!filled || node::check_placeholders(text), "filled in what is malformed");
    }
  }
}

const Registered kFiles({.name = "files", .run = run_files});

}  // namespace
}  // namespace dunlin::fuzz
