// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "tools/dunlin/launch/host_list.h"
#include "tools/dunlin/launch/launch_terms.h"

namespace dunlin::cli {

/// A step on a host.
enum class LaunchStep { probe, put_program, put_key, start, restart, stop, remove };

/// A word for sh, whatever it holds.
std::string sh_word(std::string_view text);

/// The script of a step. `program` is the one to put. `contacts` are the addresses of agents that
/// a new one asks, between commas.
std::string remote_script(LaunchStep step,
    const LaunchTerms& terms,
    const LaunchHost& host,
    std::size_t program,
    const std::string& contacts);

/// The command for ssh: reads a script of so many bytes from standard input and obeys it; what
/// follows on standard input is for the script. Any login shell understands it, and it holds
/// nothing that users which list processes there should not see.
std::string script_loader(std::size_t script_bytes);

/// What a script told, by its words; of a word that came twice the last value. "have" gathers all
/// of its values, each with a blank before and behind it.
using RemoteFacts = std::map<std::string, std::string, std::less<>>;
RemoteFacts read_facts(std::string_view out);

}  // namespace dunlin::cli
