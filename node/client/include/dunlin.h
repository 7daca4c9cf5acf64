// SPDX-License-Identifier: MIT
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * libdunlin: a program's conversation with a Dunlin agent, in C. See libdunlin(3), and
 * docs/guide/programming.md for a tour; dunlin/client.hpp is the same in C++.
 *
 * Rules that hold for every function:
 * - It returns a status: DUNLIN_OK, or why not. dunlin_status_text() says what a status means, and
 *   dunlin_client_error() or dunlin_job_error() what went wrong in particular.
 * - A time to wait is in ms: 0 only looks, -1 waits without end.
 * - Any thread may call it, also while another waits. A handle must not be freed while a call uses
 * it.
 * - In a child made by fork() each call returns DUNLIN_FORKED, or does nothing: the conversation is
 *   the parent's. The child may open a client of its own.
 * - Texts are UTF-8. A text that is handed out is cut to fit, and always ends with a zero byte.
 * - A structure begins with its size, which the caller sets: dunlin_job_info info = {sizeof info};
 *   A later library fills no more than that.
 */

/* The names of this interface are C's. NOLINTBEGIN(readability-identifier-naming) */

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define DUNLIN_API __attribute__((visibility("default")))
#else
#define DUNLIN_API
#endif

/* The version of this interface. A library of the same number keeps what an older one promised. */
#define DUNLIN_ABI 1

enum dunlin_status {
  DUNLIN_OK = 0,
  DUNLIN_USAGE = 1,     /* The call or the job is wrong. */
  DUNLIN_NOT_FOUND = 2, /* There is no such job or task. */
  DUNLIN_REFUSED = 3,   /* The agent will not; or it was cancelled before it was submitted. */
  DUNLIN_IO = 4,        /* A disk or the system failed. */
  DUNLIN_CORRUPT = 5,   /* What the agent says makes no sense. */
  DUNLIN_TIMEOUT = 6,   /* Not yet. */
  DUNLIN_LOST = 7,      /* The connection broke or the node is gone: it may have been done. */
  DUNLIN_MISMATCH = 8,  /* Library and agent speak different versions of the protocol. */
  DUNLIN_CLOSED = 9,    /* The client was closed. */
  DUNLIN_FORKED = 10,   /* This process was made by fork() after the client was opened. */
  DUNLIN_END = 11,      /* No more follows. */
  DUNLIN_NO_MEMORY = 12,
  /* With DUNLIN_KINDS; else these are DUNLIN_REFUSED, as they were before there was a word for
     each. */
  DUNLIN_FORBIDDEN =
      13,            /* Not for this user: the job is another's, or it takes an administrator. */
  DUNLIN_BUSY = 14,  /* Too much is under way. The library asked again for a minute, or as long
                        as the agent said. Nothing was done. */
  DUNLIN_QUOTA = 15, /* The user has, or has had, as much as a user may. */
  DUNLIN_CONFLICT =
      16 /* What it is about has ended, is held, or is in another state than it needs. */
};

enum dunlin_flags {
  DUNLIN_OWN_LOOP = 1, /* No thread: the program calls dunlin_client_poll(). */
  DUNLIN_KINDS = 2     /* The program knows DUNLIN_FORBIDDEN and the statuses after it. */
};

enum dunlin_submit_flags {
  DUNLIN_RESULTS = 1 /* The result of each task will be read, with dunlin_job_next_result(). */
};

typedef struct dunlin_client dunlin_client; /* A conversation with one agent at a time. */
typedef struct dunlin_job dunlin_job;       /* A job that was submitted, or found. */
typedef struct dunlin_output dunlin_output; /* The reading of what one task writes. */
typedef struct dunlin_input dunlin_input;   /* The giving of what one task reads. */
typedef struct dunlin_answer dunlin_answer; /* What an agent was asked, and what it tells. */

typedef struct dunlin_job_info {
  size_t size;      /* sizeof(dunlin_job_info) */
  char id[40];      /* "NODE.NUMBER"; empty until the agent has taken the job. */
  char state[16];   /* "submitting", "held", "waiting", "running", "done", "failed", "cancelled". */
  int ended;        /* 1: it has ended. */
  uint32_t tasks;   /* 0 until the agent has taken the job. */
  uint32_t running; /* Of the tasks, those that run, ... */
  uint32_t done;    /* ... that succeeded, ... */
  uint32_t failed;  /* ... that failed, ... */
  uint32_t cancelled;  /* ... and that were cancelled. */
  uint32_t cancelling; /* Told to stop, and not yet seen dead: not counted as running. */
} dunlin_job_info;

typedef struct dunlin_result {
  size_t size;              /* sizeof(dunlin_result) */
  uint32_t task;            /* Its index. */
  uint32_t attempt;         /* The one that counts, from 1. */
  char state[16];           /* "done", "failed", "cancelled". */
  char outcome[24];         /* "exited", "signalled", "time_limit", "out_of_memory", ... */
  int32_t status;           /* Exit status, signal or errno, as `outcome` says. */
  int32_t shell_status;     /* As a shell would show it. */
  int64_t wall_ns;          /* How long it ran. */
  int64_t cpu_ns;           /* CPU time. */
  uint64_t memory_peak;     /* Bytes. */
  uint64_t out_bytes;       /* Written to stdout, if kept. */
  uint64_t err_bytes;       /* Written to stderr, if kept. */
  char worker[64];          /* The name of the node that ran it. */
  char detail[256];         /* Why, if there is more to say. */
  int64_t started_at_ns;    /* Since 1970, by the clock of its node; 0: it never did. */
  uint64_t disk_read_bytes; /* What came from disks; this and the next: 0 if not counted. */
  uint64_t disk_written_bytes;
  uint64_t net_received_bytes;
  uint64_t net_sent_bytes;
} dunlin_result;

/* The version of the library, such as "0.8.0". */
DUNLIN_API const char* dunlin_version(void);
/* What a status means, in a few words. */
DUNLIN_API const char* dunlin_status_text(int status);

/*
 * Opens a client of the agents that listen at `addresses`, paths of Unix sockets; the first that
 * answers is talked to, and the next one when it is lost. None (count 0) is the agent's usual
 * place: $DUNLIN_ADDRESS, /run/dunlin/agent.sock for root, or $XDG_RUNTIME_DIR/dunlin/agent.sock.
 * Returns at once: whether an agent answers shows later. `flags`: dunlin_flags, together, or 0.
 * Fails with DUNLIN_USAGE, DUNLIN_IO (no thread or descriptor to be had) or DUNLIN_NO_MEMORY.
 */
DUNLIN_API int dunlin_client_open(
    const char* const* addresses, size_t count, unsigned flags, dunlin_client** client);
/*
 * Ends the conversation. What was submitted and not yet acknowledged may be lost: see
 * dunlin_client_flush(). Jobs go on. Handles of jobs and outputs stay valid, and must be freed.
 * In a callback it does not wait for the thread, which ends after the call. NULL does nothing.
 */
DUNLIN_API void dunlin_client_close(dunlin_client* client);
/* Waits until every submit so far is acknowledged or has failed. DUNLIN_TIMEOUT: not yet. */
DUNLIN_API int dunlin_client_flush(dunlin_client* client, int wait_ms);
/*
 * The state of the conversation: DUNLIN_OK while an agent answers, else why none does, in words in
 * `text`: jobs wait for it. DUNLIN_MISMATCH is for good.
 */
DUNLIN_API int dunlin_client_error(dunlin_client* client, char* text, size_t size);

/* With DUNLIN_OWN_LOOP: a descriptor that is readable when dunlin_client_poll() has work; -1 else.
 */
DUNLIN_API int dunlin_client_fd(dunlin_client* client);
/* With DUNLIN_OWN_LOOP: waits at most so long, does what there is to do, and calls callbacks. */
DUNLIN_API int dunlin_client_poll(dunlin_client* client, int wait_ms);

/*
 * Submits a job, and returns at once. `job` is a JSON object of `size` bytes, the Job of
 * docs/design/control-protocol.md: {"name": "train", "groups": [{"command": ["make", "all"]}]}. The
 * library draws its `key`, if it has none: however often the connection breaks, there is one job.
 * A job with a member that the agent does not know fails by its name, unless it says "strict":
 * false. Tasks of a group that names no `directory` run where the program is at the call;
 * "directory": "" has each run in an empty one of its own.
 * `flags`: DUNLIN_RESULTS or 0. The text is copied, and read later: what is wrong with it shows in
 * dunlin_job_id() and dunlin_job_wait(). Fails with DUNLIN_USAGE if it is not even in braces.
 */
DUNLIN_API int dunlin_submit(
    dunlin_client* client, const char* job, size_t size, unsigned flags, dunlin_job** handle);
/* The same for `count` jobs. All of them, or none. */
DUNLIN_API int dunlin_submit_many(dunlin_client* client,
    const char* const* jobs,
    const size_t* sizes,
    size_t count,
    unsigned flags,
    dunlin_job** handles);
/* A handle of a job by its id, "NODE.NUMBER", with the node's id in hexadecimal. */
DUNLIN_API int dunlin_job_find(
    dunlin_client* client, const char* id, unsigned flags, dunlin_job** handle);
/* Frees a handle. The job goes on. Waits for a callback of it that runs in another thread. */
DUNLIN_API void dunlin_job_free(dunlin_job* job);

/* Waits until the agent has taken the job, and tells its id. */
DUNLIN_API int dunlin_job_id(dunlin_job* job, int wait_ms, char* id, size_t size);
/* What is known of the job now. */
DUNLIN_API int dunlin_job_look(dunlin_job* job, dunlin_job_info* info);
/*
 * Waits for the end of the job. DUNLIN_OK: it has ended, however that was (dunlin_job_look()).
 * Otherwise it is DUNLIN_TIMEOUT, or the reason for which the job was not taken or is not known.
 */
DUNLIN_API int dunlin_job_wait(dunlin_job* job, int wait_ms);
/* Waits until one of the jobs has ended or failed, and tells which; the first one, if several. */
DUNLIN_API int dunlin_wait_any(dunlin_job* const* jobs, size_t count, int wait_ms, size_t* which);
/*
 * Why the job was not taken or is not known, in a sentence. While it is waited for, why nothing is
 * heard of it: DUNLIN_TIMEOUT, its node does not answer; it may come back. Empty if all is well.
 */
DUNLIN_API int dunlin_job_error(dunlin_job* job, char* text, size_t size);
/*
 * The next result of a task, in the order in which they came; each is told once. Needs
 * DUNLIN_RESULTS. DUNLIN_END: the job has ended, and all were told.
 */
DUNLIN_API int dunlin_job_next_result(dunlin_job* job, int wait_ms, dunlin_result* result);
/*
 * Calls `call` once when the job has ended or failed, also if it has by now: in the thread of the
 * library, or in dunlin_client_poll(). The call must not wait, nor end by an exception. A handle
 * has one: the next takes its place, while the last may still run. NULL takes it back, and waits
 * for one that runs in another thread: after that its `data` is not used any more.
 */
DUNLIN_API int dunlin_job_on_end(
    dunlin_job* job, void (*call)(dunlin_job* job, void* data), void* data);

/* Stops all tasks of the job. `cancelled`, if not NULL: how many. */
DUNLIN_API int dunlin_job_cancel(dunlin_job* job, int wait_ms, uint32_t* cancelled);
/*
 * Runs tasks again: those that failed and, without `failed_only`, those that were cancelled. The
 * job has not ended then. DUNLIN_LOST: the connection broke, look whether it was done.
 */
DUNLIN_API int dunlin_job_retry(dunlin_job* job, int failed_only, int wait_ms, uint32_t* retried);

/*
 * Begins to read what a task writes to stdout (`stream` 1) or stderr (2). With `follow` until the
 * task has ended, else what is there. At most 24 at once in one client: DUNLIN_REFUSED.
 */
DUNLIN_API int dunlin_output_open(
    dunlin_job* job, uint32_t task, int stream, int follow, dunlin_output** output);
/*
 * Reads at most `size` bytes; `read` says how many. If `attempt` is another one than before, the
 * task runs anew, and so does its output. DUNLIN_END: that was all. A program that does not read
 * holds up the task's node, and costs neither side memory.
 */
DUNLIN_API int dunlin_output_read(
    dunlin_output* output, char* bytes, size_t size, int wait_ms, size_t* read, uint32_t* attempt);
/* Why it broke off, in a sentence. */
DUNLIN_API int dunlin_output_error(dunlin_output* output, char* text, size_t size);
DUNLIN_API void dunlin_output_close(dunlin_output* output);

/*
 * Begins to give a task what it reads from stdin. Its group has "input": "client". At most 8 at
 * once in one client: DUNLIN_REFUSED. A task that nothing comes for is ended a minute after its
 * start.
 */
DUNLIN_API int dunlin_input_open(dunlin_job* job, uint32_t task, dunlin_input** input);
/*
 * Takes bytes for the task, at least one and at most `size`; `written` says how many. Waits while
 * 256 KiB wait for the task. DUNLIN_END: the task reads no more. DUNLIN_LOST: the connection broke
 * on the way, which ends the task: a part of its input must not look like all of it.
 */
DUNLIN_API int dunlin_input_write(
    dunlin_input* input, const char* bytes, size_t size, int wait_ms, size_t* written);
/* Says that this was all, and waits until the task has taken it. Status as above. */
DUNLIN_API int dunlin_input_end(dunlin_input* input, int wait_ms);
/* Why nothing more can be given, in a sentence. */
DUNLIN_API int dunlin_input_error(dunlin_input* input, char* text, size_t size);
/* Without dunlin_input_end() before, this ends a task that still reads, or as soon as it begins. */
DUNLIN_API void dunlin_input_close(dunlin_input* input);

/*
 * Asks an agent, and returns at once. `verb` is one of docs/design/control-protocol.md that changes
 * nothing: "jobs", "job", "tasks", "timeline", "task_bins", "explain", "find", "usage", "nodes",
 * "node_bins", "node", "node_tasks", "past", "overlay" or "status". `query` has the members of the
 * request, a JSON object of `size` bytes, such as {"cluster": true, "ended_since_at_ns":
 * 1764288000000000000};
 * NULL: none. If the connection breaks it is asked again. Fails with DUNLIN_USAGE for another verb,
 * or if the query is no such object.
 */
DUNLIN_API int dunlin_ask(dunlin_client* client,
    const char* verb,
    const char* query,
    size_t size,
    dunlin_answer** answer);
/* Waits for the answer. DUNLIN_OK: it is there. Else DUNLIN_TIMEOUT, or why there will be none. */
DUNLIN_API int dunlin_answer_wait(dunlin_answer* answer, int wait_ms);
/*
 * What the agent told: a JSON object, which ends with a zero byte; empty as long as it has not.
 * Good until the answer is freed. `size`, if not NULL: its bytes.
 */
DUNLIN_API const char* dunlin_answer_text(dunlin_answer* answer, size_t* size);
/*
 * Asks for the page that follows this one: of "jobs", "tasks", "node_tasks" and "past".
 * DUNLIN_END: this was the last one, or no list.
 */
DUNLIN_API int dunlin_answer_next(dunlin_answer* answer, dunlin_answer** next);
/* Why there is no answer, in a sentence. */
DUNLIN_API int dunlin_answer_error(dunlin_answer* answer, char* text, size_t size);
/* Frees an answer, or takes the question back. NULL does nothing. */
DUNLIN_API void dunlin_answer_free(dunlin_answer* answer);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(readability-identifier-naming) */
