// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace dunlin::web {

/// The endpoints as a document of OpenAPI 3.1, made of the table that requests are answered by.
std::string openapi_text();

}  // namespace dunlin::web
