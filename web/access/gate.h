// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "web/http/request.h"

namespace dunlin::web {

/// The name in a header Host, without its port and in small letters: "[::1]" of "[::1]:8080". Empty
/// if it is no such name.
std::string host_name_of(std::string_view host);

/// True if the request says exactly one Host, and its name is one of this machine itself, or in
/// `names` (in small letters). A page of a stranger, whose name leads to this machine by its DNS,
/// has the stranger's name there.
/// This is what keeps DNS rebinding out: the browser believes such a page to be of one origin with
/// the gateway, and only the name in Host tells that it is not.
bool host_is_ours(const Request& request, const std::vector<std::string>& names);

/// Why a request with a cookie may change nothing; empty: it may. It must say by a header that no
/// form can say that a script made it, and the browser that the script is of this very page.
/// Either header may be missing: old browsers send no Sec-Fetch-Site, and some send no Origin. One
/// that is there must be right, and one of both must be there.
std::string cross_site_problem(const Request& request);

/// True unless there is a body that is no JSON by what the request says.
/// A form can send text/plain and two more types to any site without asking it. JSON it cannot
/// send.
bool says_json(const Request& request);

/// The value of a cookie; empty if there is none.
/// The first of several with that name: browsers send the one of the longest path first.
std::string_view cookie_of(const Request& request, std::string_view name);

}  // namespace dunlin::web
