// SPDX-License-Identifier: MIT
#include <dunlin.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

/* A program with a loop of its own, in C: it waits for the library's descriptor among its others.
 */

struct state {
  int under_way;
  unsigned done;
};

static void on_end(dunlin_job* job, void* data) {
  struct state* state = data;
  dunlin_job_info info = {.size = sizeof(info)};
  if (dunlin_job_look(job, &info) == DUNLIN_OK && info.ended) state->done += info.done;
  --state->under_way;
}

int main(int argc, char** argv) {
  static const char kJob[] = "{\"groups\":[{\"command\":[\"true\"],\"count\":2}]}";
  dunlin_client* client = NULL;
  dunlin_job* jobs[3] = {NULL, NULL, NULL};
  struct state state = {0, 0};
  const char* const* addresses = (const char* const*)(argv + 1);
  int status = dunlin_client_open(addresses, (size_t)argc - 1, DUNLIN_OWN_LOOP, &client);
  for (int i = 0; status == DUNLIN_OK && i < 3; ++i) {
    status = dunlin_submit(client, kJob, strlen(kJob), 0, &jobs[i]);
    if (status != DUNLIN_OK) break;
    ++state.under_way;
    status = dunlin_job_on_end(jobs[i], on_end, &state);
  }
  while (status == DUNLIN_OK && state.under_way > 0) {
    struct pollfd ready = {.fd = dunlin_client_fd(client), .events = POLLIN};
    poll(&ready, 1, -1);
    status = dunlin_client_poll(client, 0);
  }
  for (int i = 0; i < 3; ++i) dunlin_job_free(jobs[i]);
  dunlin_client_close(client);
  if (status != DUNLIN_OK) {
    fprintf(stderr, "event_loop: %s\n", dunlin_status_text(status));
    return 1;
  }
  printf("%u tasks are done\n", state.done);
  return 0;
}
