// SPDX-License-Identifier: MIT
// What the gateway tells by itself. Components name topics; only those of a tab that is seen are
// asked for.
import { useEffect, useRef } from "./html.js";
import { away, session } from "./api.js";
import { Stream } from "./stream.js";
import { visible } from "./visible.js";

/** How often a tab says again what it wants, in ms: the worker forgets tabs that do not. */
const kSayMs = 45000;

/** @type {Map<string, Set<(data: object, name: string) => void>>} */
const listeners = new Map();

function hear(name, data) {
  if (name === "session") {
    session.set(null);
    return;
  }
  if (name === "trouble" && data.topic === "") {
    away.set("The agent behind this page does not answer. This page goes on when it is back.");
    return;
  }
  for (const each of [...(listeners.get(data.topic) ?? [])]) each(data.data ?? data, name);
}

function connectHere() {
  const stream = new Stream(hear);
  return (topics) => stream.want(topics);
}

/** How this tab says what it wants; null: it wanted nothing yet. */
let say = null;
let planned = false;

/** @returns {(topics: string[]) => void} says what is wanted */
function connect() {
  if (typeof SharedWorker === "undefined") return connectHere();
  const worker = new SharedWorker(new URL("stream_worker.js", import.meta.url),
    { type: "module", name: "dunlin" });
  worker.onerror = () => {  // It did not come: a stream of our own will do.
    say = connectHere();
    plan();
  };
  worker.port.onmessage = ({ data }) => hear(data.name, data.data);
  return (topics) => worker.port.postMessage({ topics });
}

function tell() {
  planned = false;
  const seen = visible.get() && session.get();
  const topics = seen ? [...listeners.keys()] : [];
  if (!say && topics.length === 0) return;
  say ??= connect();
  say(topics);
}

/** Once for all that changes in this turn. */
function plan() {
  if (planned) return;
  planned = true;
  setTimeout(tell, 20);
}

visible.on(plan);
session.on(plan);
setInterval(() => listeners.size && visible.get() && plan(), kSayMs);
addEventListener("pagehide", () => say?.([]));
addEventListener("pageshow", plan);

/** @returns {() => void} ends it */
function listen(topic, listener) {
  if (!listeners.has(topic)) listeners.set(topic, new Set());
  listeners.get(topic).add(listener);
  plan();
  return () => {
    const of = listeners.get(topic);
    of.delete(listener);
    if (of.size === 0) listeners.delete(topic);
    plan();
  };
}

/**
 * Calls `listener` with what the stream tells of `topic`, as long as the component is there.
 * @param {string | undefined} topic undefined: of nothing
 * @param {(data: object, name: string) => void} listener `name` is that of the event: `reset` means
 *   that some is missing, `trouble` that no more will come
 */
export function useTopic(topic, listener) {
  const last = useRef(listener);
  last.current = listener;
  useEffect(() => (topic ? listen(topic, (data, name) => last.current(data, name)) : undefined),
    [topic]);
}
