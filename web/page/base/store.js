// SPDX-License-Identifier: MIT
// A value that several components look at.
import { useEffect, useState } from "./html.js";

/**
 * @template T
 * @typedef {{get: () => T, set: (value: T) => void, on: (f: () => void) => () => void}} Store
 */

/**
 * @template T
 * @param {T} value
 * @returns {Store<T>}
 */
export function store(value) {
  const listeners = new Set();
  return {
    get: () => value,
    set(next) {
      if (next === value) return;
      value = next;
      for (const each of [...listeners]) each();
    },
    on(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/**
 * The value of a store; the component is drawn anew when it changes.
 * @template T
 * @param {Store<T>} from
 * @returns {T}
 */
export function useStore(from) {
  const [, redraw] = useState(0);
  const drawn = from.get();
  useEffect(() => {
    const again = () => redraw((count) => count + 1);
    // It may have changed since it was drawn, and nobody listened yet.
    if (from.get() !== drawn) again();
    return from.on(again);
  }, [from]);
  return drawn;
}

/** A value of this browser that outlives the page. Storage may be forbidden: then it does not. */
export function keep(key, value) {
  try {
    if (value === undefined) return localStorage.getItem(key);
    localStorage.setItem(key, value);
  } catch {
    return null;
  }
  return value;
}
