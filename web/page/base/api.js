// SPDX-License-Identifier: MIT
// Asks the gateway: /v1 as docs/design/http.md says it.
import { store } from "./store.js";

/** What the page says of the connection: null, or a sentence. */
export const away = store(null);
/** Whoami; null: not logged in; undefined: not asked yet. */
export const session = store(undefined);

/** A request that failed. `message` is a sentence for people. */
export class Problem extends Error {
  /** @param {string} kind as in http.md; `gateway`: no answer @param {number} [retrySeconds] */
  constructor(kind, text, status = 0, retrySeconds = 0) {
    super(text);
    this.kind = kind;
    this.status = status;
    this.retrySeconds = retrySeconds;
  }
}

/** The gateway's clock less ours, in ms: ages are reckoned by the gateway's. */
let skew = 0;
export const now = () => Date.now() + skew;
/** A time for `..._at_ns`: numbers of JavaScript do not reach so far. */
export const toNs = (ms) => `${Math.round(ms)}000000`;

function search(query) {
  const said = Object.entries(query ?? {}).filter(([, value]) => value !== undefined
    && value !== null && value !== "");
  return said.length ? `?${new URLSearchParams(said)}` : "";
}

/** An address below /v1; words are encoded. */
export function address(words, query) {
  return `v1/${words.map((word) => encodeURIComponent(word)).join("/")}${search(query)}`;
}

async function problemOf(response) {
  let told = {};
  try {
    told = await response.json();
  } catch {
    // A proxy's page. Its status must do.
  }
  const text = told.detail || told.title || `the gateway answers with status ${response.status}`;
  return new Problem(told.kind ?? "gateway", text, response.status,
    Number(response.headers.get("Retry-After")) || 0);
}

/**
 * Fetches, and keeps `away` and `session` true to what came.
 * @returns {Promise<Response>} which is ok
 * @throws {Problem}
 */
export async function request(url, options = {}) {
  let response;
  try {
    response = await fetch(url, { cache: "no-store", credentials: "same-origin", ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    away.set("The gateway does not answer. This page tries again by itself.");
    throw new Problem("gateway", "the gateway does not answer");
  }
  if (response.ok) {
    away.set(null);
    return response;
  }
  const problem = await problemOf(response);
  if (problem.status === 401) session.set(null);
  if (problem.kind === "away" || problem.kind === "stopping") {
    away.set("The agent behind this page does not answer. This page goes on when it is back.");
  } else {
    away.set(null);
  }
  throw problem;
}

/** @param {string[]} words of the path below /v1 */
export async function get(words, query, signal) {
  const response = await request(address(words, query), { signal });
  const answer = await response.json();
  if (answer.as_of_ns) {
    // An answer may be a second old already: only a clock that is plainly off is made up for.
    const off = answer.as_of_ns / 1e6 - Date.now();
    skew = Math.abs(off) > 5000 ? off : 0;
  }
  return answer;
}

async function change(method, words, body, headers) {
  const response = await request(address(words), {
    method,
    headers: { "X-Dunlin": "1",
      ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return response.status === 204 ? {} : response.json();
}

export const post = (words, body, headers) => change("POST", words, body, headers);
export const patch = (words, body) => change("PATCH", words, body);

/** Ends the session here and at the gateway. */
export async function logOut() {
  try {
    await change("DELETE", ["session"]);
  } finally {
    session.set(null);
  }
}

/** Exchanges a code for a session. @throws {Problem} */
export async function logIn(code) {
  session.set(await post(["session"], { code }));
}
