// SPDX-License-Identifier: MIT
// A plugin of the Cap'n Proto compiler. From each schema it makes <name>.h, plain structs for
// protocol code, <name>_fwd.h, which declares them, and <name>.plain.h, which copies between those
// and capnp's; and <name>.terms.cc, if users have words for its fields. So a message is declared
// once, protocol code never sees capnp, and every bound of a list is checked by generated code.

#include <capnp/serialize.h>
#include <cstdio>
#include <exception>
#include <fstream>
#include <kj/exception.h>

#include "tools/capnpc_plain/model.h"

namespace {

/// capnp runs a plugin in the output folder, and has made the folders below it.
void write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw dunlin::plain::Unsupported(path + ": cannot be written");
}

void run() {
  // The compiler's own output, so the bounds are wide: all schemas with their imports are one
  // message.
  capnp::StreamFdMessageReader message(0, {.traversalLimitInWords = 1 << 30, .nestingLimit = 64});
  const auto request = message.getRoot<capnp::schema::CodeGeneratorRequest>();
  for (auto file : request.getRequestedFiles()) {
    const auto schema = dunlin::plain::read_schema(request, file);
    const std::string stem = schema.file.substr(0, schema.file.rfind('.'));
    write(stem + ".h", dunlin::plain::print_structs(schema));
    write(stem + "_fwd.h", dunlin::plain::print_names(schema));
    write(stem + ".plain.h", dunlin::plain::print_codec(schema));
    const std::string terms = dunlin::plain::print_terms(schema);
    if (!terms.empty()) write(stem + ".terms.cc", terms);
  }
}

}  // namespace

int main() {
  try {
    run();
    return 0;
  } catch (const std::exception& problem) {
    std::fprintf(stderr, "capnpc-plain: %s\n", problem.what());
  } catch (const kj::Exception& problem) {
    std::fprintf(stderr, "capnpc-plain: %s\n", problem.getDescription().cStr());
  }
  return 1;
}
