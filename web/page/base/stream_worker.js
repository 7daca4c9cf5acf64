// SPDX-License-Identifier: MIT
// The stream that all tabs of this browser share. A tab says what it wants, every now and then
// again; one that says nothing for two minutes is gone.
import { Stream } from "./stream.js";

const kSilentMs = 120000;
/** @type {Map<MessagePort, {topics: string[], heard: number}>} */
const tabs = new Map();

const stream = new Stream((name, data) => {
  for (const [port, { topics }] of tabs) {
    if (!data.topic || topics.includes(data.topic)) port.postMessage({ name, data });
  }
});

function sum() {
  const oldest = Date.now() - kSilentMs;
  for (const [port, { heard }] of tabs) if (heard < oldest) tabs.delete(port);
  stream.want(new Set([...tabs.values()].flatMap(({ topics }) => topics)));
}

onconnect = ({ ports: [port] }) => {
  port.onmessage = ({ data }) => {
    const before = tabs.get(port)?.topics ?? [];
    if (data.topics.length) tabs.set(port, { topics: data.topics, heard: Date.now() });
    else tabs.delete(port);
    const others = [...tabs].filter(([each]) => each !== port).flatMap(([, { topics }]) => topics);
    sum();
    // What another tab listens to already is told to this one by a reset: it fetches.
    for (const topic of data.topics) {
      if (!before.includes(topic) && others.includes(topic)) {
        port.postMessage({ name: "reset", data: { topic, why: "shared" } });
      }
    }
  };
};
setInterval(sum, kSilentMs / 2);
