// SPDX-License-Identifier: MIT
// One `EventSource` that tells of many topics. It lives in a worker that all tabs share, since a
// browser grants a host six connections for all of them together; or in the page, where there are
// no such workers.

const kNames = ["jobs", "nodes", "status", "job", "events", "log", "reset", "trouble"];
const kRetryMs = [1000, 2000, 5000, 10000];
/** The root of the gateway, from this file's own address: a worker knows no other. */
const kRoot = new URL("../../", import.meta.url);

export class Stream {
  /** @param {(name: string, data: object) => void} tell is called with each event */
  constructor(tell) {
    this.tell = tell;
    this.topics = "";   // What is wanted ...
    this.said = "";     // ... and what the gateway was told.
    this.source = null;
    this.id = null;
    this.failures = 0;
    this.timer = 0;
  }

  /** @param {Iterable<string>} topics all that are wanted from now on; none: the stream ends */
  want(topics) {
    this.topics = [...topics].sort().join(",");
    if (this.topics === "") this.close();
    else if (!this.source) this.open();
    else if (this.id) this.say();
  }

  close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
    this.id = null;
  }

  open() {
    this.close();
    this.said = this.topics;
    const source = new EventSource(new URL(`v1/stream?topics=${encodeURIComponent(this.topics)}`,
      kRoot));
    this.source = source;
    source.addEventListener("hello", (event) => {
      this.failures = 0;
      this.id = JSON.parse(event.data).stream;
      // A browser that connects again by itself asks for what it asked for at first.
      if (this.topics !== this.said || this.reconnecting) this.say();
      this.reconnecting = false;
    });
    for (const name of kNames) {
      source.addEventListener(name, (event) => this.tell(name, JSON.parse(event.data)));
    }
    source.onerror = () => {
      if (this.source !== source) return;
      this.id = null;
      this.reconnecting = true;
      // Any answer but a stream closes it for good: find out why, and go on.
      if (source.readyState === EventSource.CLOSED) this.later();
    };
  }

  later() {
    this.close();
    const rest = kRetryMs[Math.min(this.failures++, kRetryMs.length - 1)];
    this.timer = setTimeout(async () => {
      if (this.topics === "") return;
      const status = await fetch(new URL("v1/whoami", kRoot)).then((answer) => answer.status, () =>
        0);
      if (status === 401) this.tell("session", {});
      else if (this.topics !== "") this.open();
    }, rest);
  }

  /** Tells the gateway which topics are wanted now. */
  async say() {
    const { id, topics } = this;
    this.said = topics;
    const status = await fetch(new URL(`v1/stream/${id}`, kRoot), {
      method: "POST",
      headers: { "X-Dunlin": "1", "Content-Type": "application/json" },
      body: JSON.stringify({ topics: topics.split(",") }),
    }).then((answer) => answer.status, () => 0);
    if (this.id !== id) return;
    if (status === 404) this.open();
    else if (status === 0 || status >= 500) this.later();
    else if (this.topics !== topics) this.say();
  }
}
