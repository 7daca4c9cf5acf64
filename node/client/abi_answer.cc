// SPDX-License-Identifier: MIT
#include <string>
#include <utility>

#include "node/client/abi.h"

using dunlin::client::guarded;

// The C interface to what an agent tells. An answer never changes once it is there: its text may be
// handed out as it stands.
namespace dunlin::client {
namespace {

void begin_query(const std::shared_ptr<Client>& of, Query read, dunlin_answer** answer) {
  auto made = std::make_unique<dunlin_answer>();
  made->client = of;
  made->query = std::make_shared<Query>(std::move(read));
  of->change([&](Engine& engine) { engine.ask(made->query); });
  *answer = made.release();
}

}  // namespace
}  // namespace dunlin::client

extern "C" {

int dunlin_ask(dunlin_client* client,
    const char* verb,
    const char* query,
    size_t size,
    dunlin_answer** answer) {
  if (client == nullptr || verb == nullptr || answer == nullptr) return DUNLIN_USAGE;
  return guarded(*client->client, [&] {
    dunlin::client::Query read;
    const std::string_view text = query == nullptr ? "" : std::string_view(query, size);
    const auto problem = dunlin::client::read_query(verb, text, read);
    if (problem.status != DUNLIN_OK) return problem.status;
    dunlin::client::begin_query(client->client, std::move(read), answer);
    return int{DUNLIN_OK};
  });
}

int dunlin_answer_wait(dunlin_answer* answer, int wait_ms) {
  if (answer == nullptr) return DUNLIN_USAGE;
  return guarded(*answer->client, [&] {
    const int waited = answer->client->wait(wait_ms, [&] { return answer->query->done; });
    return waited != DUNLIN_OK ? waited : answer->query->problem.status;
  });
}

const char* dunlin_answer_text(dunlin_answer* answer, size_t* size) {
  if (size != nullptr) *size = 0;
  if (answer == nullptr) return "";
  const char* text = "";
  guarded(*answer->client, [&] {
    answer->client->look([&](const dunlin::client::Engine&) {
      if (!answer->query->done) return;
      text = answer->query->text.c_str();
      if (size != nullptr) *size = answer->query->text.size();
    });
    return int{DUNLIN_OK};
  });
  return text;
}

int dunlin_answer_next(dunlin_answer* answer, dunlin_answer** next) {
  if (answer == nullptr || next == nullptr) return DUNLIN_USAGE;
  return guarded(*answer->client, [&] {
    dunlin::client::Query more;
    int status = DUNLIN_OK;
    answer->client->look([&](const dunlin::client::Engine&) {
      const auto& query = *answer->query;
      if (!query.done) {
        status = DUNLIN_TIMEOUT;
      } else if (query.problem.status != DUNLIN_OK) {
        status = query.problem.status;
      } else if (query.next.is_null()) {
        status = DUNLIN_END;
      } else {
        more.verb = query.verb;
        more.members = query.next;
      }
    });
    if (status != DUNLIN_OK) return status;
    dunlin::client::begin_query(answer->client, std::move(more), next);
    return int{DUNLIN_OK};
  });
}

int dunlin_answer_error(dunlin_answer* answer, char* text, size_t size) {
  if (answer == nullptr) return DUNLIN_USAGE;
  return guarded(*answer->client, [&] {
    int status = DUNLIN_OK;
    answer->client->look([&](const dunlin::client::Engine&) {
      status = answer->query->problem.status;
      dunlin::client::copy_text(text, size, answer->query->problem.text);
    });
    return status;
  });
}

void dunlin_answer_free(dunlin_answer* answer) {
  if (answer == nullptr) return;
  guarded(*answer->client, [&] {
    answer->client->change(
        [&](dunlin::client::Engine& engine) { engine.stop_asking(answer->query); });
    return int{DUNLIN_OK};
  });
  dunlin::client::abandon(answer->client);
  delete answer;
}

}  // extern "C"
