// SPDX-License-Identifier: MIT
// Asks nodes which ones they know, from one node outwards. No node has the whole graph, so the page
// walks it: a bounded number of questions, a few at a time, and none while nobody looks.
import { useEffect, useState } from "../base/html.js";
import { away, get } from "../base/api.js";
import { visible } from "../base/visible.js";

/** Questions at a time: a gateway has these pages of many users. */
const kAtOnce = 6;
/** Between two drawings of a walk that goes on, in ms. */
const kDrawMs = 200;
/** What one that did not tell is counted as, by the kind of its error; others did not answer. */
const kWhy = { usage: "old", not_found: "unknown" };

/**
 * @typedef {object} Found
 * @property {object} first the answer of the node in the middle
 * @property {Map<string, object>} told answers by the node's id, that of the first among them
 * @property {{node: string, name: string}[]} silent nodes that did not answer
 * @property {{node: string, name: string}[]} old nodes of builds that do not tell it
 * @property {{node: string, name: string}[]} unknown nodes that the page's agent has not heard of
 * @property {number} known how many nodes were named, asked or not
 * @property {boolean} done
 */

/** As soon as somebody may be looking. */
function seen() {
  return new Promise((go) => {
    if (visible.get()) {
      go();
      return;
    }
    const end = visible.on(() => {
      if (!visible.get()) return;
      end();
      go();
    });
  });
}

const rest = (seconds) => new Promise((go) => { setTimeout(go, seconds * 1000); });

/** The nodes that are known from the first one, nearest first, until `count` were asked. */
async function walk(first, count, signal, report) {
  const found = { first, told: new Map([[first.node, first]]), silent: [], old: [], unknown: [] };
  const names = new Map([[first.node, first.node_name]]);
  const waiting = [];
  const meet = (answer) => {
    for (const { node, name, state } of answer.neighbours) {
      if (names.has(node)) continue;
      names.set(node, name);
      if (state === "down") found.silent.push({ node, name });
      else waiting.push(node);
    }
  };
  const ask = async (node, again = false) => {
    try {
      const answer = await get(["nodes", node, "overlay"], {}, signal);
      found.told.set(node, answer);
      meet(answer);
    } catch (problem) {
      if (problem.name === "AbortError") return;
      if (problem.retrySeconds > 0 && !again) {  // The agent is busy, and says for how long.
        await rest(problem.retrySeconds);
        await seen();
        await ask(node, true);
        return;
      }
      found[kWhy[problem.kind] ?? "silent"].push({ node, name: names.get(node) });
    }
  };
  meet(first);
  const flying = new Set();
  let asked = 1;
  for (;;) {
    await seen();
    if (signal.aborted) return;
    while (flying.size < kAtOnce && asked < count && waiting.length > 0) {
      const flight = ask(waiting.shift()).finally(() => flying.delete(flight));
      flying.add(flight);
      ++asked;
    }
    const done = flying.size === 0;
    report({ ...found, told: new Map(found.told), known: names.size, done });
    if (done) return;
    await Promise.race(flying);
  }
}

/**
 * @param {string | undefined} node a name or an id; undefined: the one that this page asks
 * @param {number} count so many nodes are asked at most
 * @returns {{data?: Found, problem?: object, again: () => void}} as an answer, for `Shown`
 */
export function useWalk(node, count) {
  const [turn, setTurn] = useState(0);
  const [state, setState] = useState({});
  const again = () => setTurn((before) => before + 1);
  useEffect(() => {
    const abort = new AbortController();
    let drawn = 0;
    const report = (data) => {
      if (abort.signal.aborted || (!data.done && Date.now() - drawn < kDrawMs)) return;
      drawn = Date.now();
      setState({ data, problem: null });
    };
    const go = async () => {
      await seen();
      if (abort.signal.aborted) return;
      const words = node ? ["nodes", node, "overlay"] : ["overlay"];
      await walk(await get(words, {}, abort.signal), count, abort.signal, report);
    };
    go().catch((problem) => {
      if (!abort.signal.aborted) setState((before) => ({ ...before, problem }));
    });
    return () => abort.abort();
  }, [node, count, turn]);
  const { problem } = state;
  // The gateway or the agent was away, and is back.
  useEffect(() => (problem ? away.on(() => away.get() === null && again()) : undefined), [problem]);
  return { ...state, again };
}
