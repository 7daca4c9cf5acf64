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
  useEffect(() => {
    const seen = from.get();
    const end = from.on(() => redraw((count) => count + 1));
    if (from.get() !== seen) redraw((count) => count + 1);
    return end;
  }, [from]);
  return from.get();
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
