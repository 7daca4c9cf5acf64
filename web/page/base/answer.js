// SPDX-License-Identifier: MIT
// An answer of the gateway, kept fresh as long as the component is there and the tab is seen.
import { useCallback, useEffect, useRef, useState } from "./html.js";
import { address, away, get } from "./api.js";
import { useTopic } from "./live.js";
import { visible } from "./visible.js";

/** The least time between two fetches that news cause, in ms. */
const kNewsRest = 2000;

/**
 * @typedef {object} Answer
 * @property {any} data the last good answer to this question; undefined: none yet
 * @property {import("./api.js").Problem | null} problem why the last try failed
 * @property {boolean} loading
 * @property {() => void} again asks at once
 */

/**
 * @param {string[] | null} words of the path; null: do not ask
 * @param {object} [query]
 * @param {{every?: number, topic?: string}} [options] `every`: ms between looks; `topic`: ask again
 *   when the stream has news of it
 * @returns {Answer}
 */
export function useAnswer(words, query, { every = 0, topic } = {}) {
  const url = words && address(words, query);
  const [state, setState] = useState({ url: null });
  const asking = useRef(null);
  const asked = useRef(0);

  const ask = useCallback(async () => {
    if (!words || asking.current) return;
    const abort = new AbortController();
    asking.current = abort;
    asked.current = Date.now();
    try {
      const data = await get(words, query, abort.signal);
      setState({ url, data, problem: null });
    } catch (problem) {
      if (problem.name === "AbortError") return;
      setState((before) => ({ url, data: before.url === url ? before.data : undefined, problem }));
    } finally {
      if (asking.current === abort) asking.current = null;
    }
  }, [url]);

  useEffect(() => {
    if (!words) return undefined;
    let timer = 0;
    const look = () => {
      clearTimeout(timer);
      if (!visible.get()) return;
      ask().finally(() => {
        clearTimeout(timer);
        if (every && visible.get()) timer = setTimeout(look, every);
      });
    };
    look();
    const ends = [visible.on(look), away.on(() => away.get() === null && look())];
    return () => {
      for (const end of ends) end();
      clearTimeout(timer);
      asking.current?.abort();
      asking.current = null;
    };
  }, [ask, every]);

  // News that come faster than answers are worth one more question, when the rest is over.
  const later = useRef(0);
  useTopic(topic, () => {
    clearTimeout(later.current);
    const rest = asked.current + kNewsRest - Date.now();
    later.current = setTimeout(ask, Math.max(rest, 0));
  });
  useEffect(() => () => clearTimeout(later.current), [ask]);

  const fresh = state.url === url;
  return {
    // While another page of the same list is fetched, the old one stays on the screen.
    data: state.data,
    problem: fresh ? state.problem ?? null : null,
    loading: !fresh,
    again: ask,
  };
}
