// SPDX-License-Identifier: MIT
// Where the user is: `#/jobs?state=failed`. The part behind `#` reaches no server and no log, and
// the gateway serves one page whatever stands there.
import { store, useStore } from "./store.js";

/** @typedef {{path: string[], query: Record<string, string>}} Route */

/** @returns {Route} */
export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const words = path.split("/").filter(Boolean);
  try {
    return { path: words.map(decodeURIComponent),
      query: Object.fromEntries(new URLSearchParams(query)) };
  } catch {  // A broken %xx.
    return { path: words, query: {} };
  }
}

const current = store(parse(location.hash));
addEventListener("hashchange", () => current.set(parse(location.hash)));

export const useRoute = () => useStore(current);

/** A query without members that say nothing. */
function queryText(query) {
  const said = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== ""
    && value !== null);
  return said.length ? `?${new URLSearchParams(said)}` : "";
}

/**
 * The address of a page, for `href`.
 * @param {string | string[]} path words: ["jobs", "merlin.12"]
 * @param {Record<string, string | number>} [query]
 */
export function to(path, query) {
  return `#/${[path].flat().map((word) => encodeURIComponent(word)).join("/")}${queryText(query)}`;
}

/** Goes there; with `replace` the place before is not kept for the browser's Back. */
export function go(address, replace = false) {
  if (replace) {
    history.replaceState(null, "", address);
    current.set(parse(location.hash));
  } else {
    location.hash = address;
  }
}

/** Changes some of the query of the page that is shown. */
export function refine(changes, replace = false) {
  const { path, query } = current.get();
  go(to(path, { ...query, ...changes }), replace);
}
