// SPDX-License-Identifier: MIT
#include <dunlin.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * stress SOCKET: all that libdunlin does, by several threads of one client, while somebody kills
 * the agent: in each phase, as the lines say that are printed. The sanitizers watch. Prints "good"
 * at its end.
 */

enum { kThreads = 3, kLong = 60000, kJobsMax = 80 };

static dunlin_client* client;
static atomic_int over;
static atomic_int called;

static void fail(const char* what, int status) {
  printf("%s: %s\n", what, dunlin_status_text(status));
  exit(1);
}

static void need(const char* what, int status) {
  if (status != DUNLIN_OK) fail(what, status);
}

static void on_end(dunlin_job* job, void* data) {
  dunlin_job_info info = {.size = sizeof(info)};
  (void)dunlin_job_look(job, &info);
  ++*(atomic_int*)data;
}

static dunlin_job* submit(const char* command, const char* more) {
  char text[512];
  dunlin_job* job = NULL;
  const int size = snprintf(text, sizeof(text),
      "{\"groups\":[{\"command\":[\"sh\",\"-c\",\"%s\"],\"demand\":{\"cpu_milli\":100}%s}]}",
      command, more);
  need("submit", dunlin_submit(client, text, (size_t)size, DUNLIN_RESULTS, &job));
  return job;
}

static int results(dunlin_job* job) {
  int count = 0;
  for (;;) {
    dunlin_result result = {.size = sizeof(result)};
    const int status = dunlin_job_next_result(job, kLong, &result);
    if (status == DUNLIN_END) return count;
    need("result", status);
    ++count;
  }
}

/* The last attempt's: one that is lost with the agent runs anew, and so does its output. */
static size_t read_all(dunlin_job* job, int follow) {
  char piece[4096];
  size_t all = 0;
  uint32_t last = 0;
  dunlin_output* output = NULL;
  need("output", dunlin_output_open(job, 0, 1, follow, &output));
  for (;;) {
    size_t size = 0;
    uint32_t attempt = last;
    const int status = dunlin_output_read(output, piece, sizeof(piece), kLong, &size, &attempt);
    if (status == DUNLIN_END) break;
    need("read", status);
    all = attempt == last ? all + size : size;
    last = attempt;
  }
  dunlin_output_close(output);
  return all;
}

/* What the threads do beside the phases, each in its own mixture. */
static void* beside(void* data) {
  unsigned seed = (unsigned)(size_t)data;
  dunlin_job* kept[4] = {NULL, NULL, NULL, NULL};
  for (int i = 0; !over && i < kJobsMax; ++i) {
    dunlin_job** const job = &kept[rand_r(&seed) % 4];
    char text[64];
    size_t which = 0;
    if (*job != NULL) {
      switch (rand_r(&seed) % 5) {
        case 0:
          (void)dunlin_job_on_end(*job, NULL, NULL);
          break;
        case 1:
          (void)dunlin_job_cancel(*job, 1, NULL);
          break;
        case 2:
          (void)dunlin_job_wait(*job, 20);
          break;
        case 3:
          (void)dunlin_wait_any((dunlin_job* const*)job, 1, 5, &which);
          break;
        default:
          (void)dunlin_job_id(*job, 5, text, sizeof(text));
          break;
      }
      dunlin_job_free(*job);
    }
    *job = submit("echo beside", "");
    (void)dunlin_job_on_end(*job, on_end, &called);
    (void)dunlin_client_flush(client, 1);
    (void)dunlin_client_error(client, text, sizeof(text));
    usleep(20000);
  }
  for (int i = 0; i < 4; ++i) dunlin_job_free(kept[i]);
  return NULL;
}

static void phase(const char* name) {
  printf("phase %s\n", name);
  fflush(stdout);
}

/* Jobs that were submitted while the agent died are done once, and told once. */
static void submit_phase(void) {
  static atomic_int mine;
  dunlin_job* jobs[20];
  phase("submit");
  for (int i = 0; i < 20; ++i) {
    jobs[i] = submit("true", "");
    need("on_end", dunlin_job_on_end(jobs[i], on_end, &mine));
    usleep(10000);
  }
  need("flush", dunlin_client_flush(client, kLong));
  phase("wait");
  for (int i = 0; i < 20; ++i) {
    need("wait", dunlin_job_wait(jobs[i], kLong));
    if (results(jobs[i]) != 1) fail("not one result", DUNLIN_CORRUPT);
  }
  /* A wait may end just before the call, and what is freed is not called any more. */
  for (int i = 0; i < 1000 && mine < 20; ++i) usleep(10000);
  if (mine != 20) fail("not one call each", DUNLIN_CORRUPT);
  for (int i = 0; i < 20; ++i) dunlin_job_free(jobs[i]);
}

static void output_phase(void) {
  dunlin_job* const job =
      submit("for i in 1 2 3 4 5 6; do head -c 20000 /dev/zero; sleep 0.1; done", "");
  phase("output");
  if (read_all(job, 1) != 120000) fail("not all output", DUNLIN_CORRUPT);
  if (read_all(job, 0) != 120000) fail("not all output again", DUNLIN_CORRUPT);
  dunlin_job_free(job);
}

/* A task that is fed may be lost with the agent, and nothing else may happen to it. */
static void input_phase(void) {
  static char bytes[100000];
  dunlin_job* const job = submit("wc -c", ",\"input\":\"client\"");
  dunlin_input* input = NULL;
  size_t size = 0;
  int status = dunlin_input_open(job, 0, &input);
  need("input", status);
  phase("input");
  for (int i = 0; i < 20 && status == DUNLIN_OK; ++i) {
    status = dunlin_input_write(input, bytes, sizeof(bytes), kLong, &size);
    usleep(20000);
  }
  if (status == DUNLIN_OK) status = dunlin_input_end(input, kLong);
  if (status == DUNLIN_TIMEOUT) fail("input", status);
  dunlin_input_close(input);
  if (status != DUNLIN_OK) need("cancel what reads", dunlin_job_cancel(job, kLong, NULL));
  status = dunlin_job_wait(job, kLong);
  if (status != DUNLIN_REFUSED) need("wait for what reads", status);
  dunlin_job_free(job);
}

static void cancel_phase(void) {
  dunlin_job* const job = submit("sleep 100", ",\"count\":4");
  uint32_t count = 0;
  int status = DUNLIN_OK;
  phase("cancel");
  need("cancel", dunlin_job_cancel(job, kLong, &count));
  status = dunlin_job_wait(job, kLong);
  if (status != DUNLIN_REFUSED)
    need("wait for the cancelled", status); /* Before it was submitted. */
  dunlin_job_free(job);
}

/* A child says that the client is its parent's. */
static void fork_phase(void) {
  const pid_t child = fork();
  int status = 0;
  if (child == 0) _exit(dunlin_client_flush(client, 0) == DUNLIN_FORKED ? 0 : 1);
  if (waitpid(child, &status, 0) != child || status != 0) fail("fork", DUNLIN_CORRUPT);
}

/* Another client, without a thread, whose callbacks come in its poll. */
static void own_loop_phase(const char* const* address) {
  dunlin_client* const shared = client;
  dunlin_job* job = NULL;
  const int before = called;
  need("open", dunlin_client_open(address, 1, DUNLIN_OWN_LOOP, &client));
  job = submit("true", "");
  need("on_end", dunlin_job_on_end(job, on_end, &called));
  phase("loop");
  for (int i = 0; i < 600 && called == before; ++i) need("poll", dunlin_client_poll(client, 100));
  if (called == before) fail("no call", DUNLIN_TIMEOUT);
  dunlin_job_free(job);
  dunlin_client_close(client);
  client = shared;
}

int main(int argc, char** argv) {
  pthread_t threads[kThreads];
  const char* const* const address = (const char* const*)(argv + 1);
  if (argc != 2) return 2;
  need("open", dunlin_client_open(address, 1, 0, &client));
  phase("begin");
  for (size_t i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, beside, (void*)(i + 1));
  submit_phase();
  output_phase();
  input_phase();
  cancel_phase();
  fork_phase();
  over = 1;
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  own_loop_phase(address);
  dunlin_client_close(client);
  printf("good\n");
  return 0;
}
