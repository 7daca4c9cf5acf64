// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "overlay/result.h"
#include "sched/logs/log_store.h"

namespace dunlin::node {

// What the table `logs` says of a log, as bytes: a version, then node/fields.h.
std::string encode_contacts(const std::vector<sched::books::Contact>& contacts);
std::string encode_office(const sched::replica::HomeRecord& office);
std::string encode_entry(const sched::replica::Entry& entry);

// Their content. Each fails with `corrupt` if the bytes are not what it was made of, or of a newer
// version.
Result<std::vector<sched::books::Contact>> decode_contacts(std::string_view bytes);
Result<sched::replica::HomeRecord> decode_office(std::string_view bytes);
Result<sched::replica::Entry> decode_entry(std::string_view bytes);

}  // namespace dunlin::node
