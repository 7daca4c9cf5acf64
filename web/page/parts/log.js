// SPDX-License-Identifier: MIT
// What a task wrote, from the end on: it goes on as the task writes, and can be searched and saved.
import { html, useEffect, useMemo, useReducer, useRef, useState } from "../base/html.js";
import { address, request } from "../base/api.js";
import { bytes, count } from "../base/format.js";
import { useTopic } from "../base/live.js";
import { LogBuffer, shownLine } from "../base/log_buffer.js";
import { Lines } from "./lines.js";
import { Empty, Trouble } from "./words.js";

const kTail = 65536;
const kEarlier = 262144;
const kHitsMax = 10000;

/** A piece of the output: {offset, total, attempt, ended, data}; null: there are no such bytes. */
async function piece(words, query, range) {
  try {
    const response = await request(address(words, query), { headers: { Range: `bytes=${range}` } });
    const head = (name) => Number(response.headers.get(name)) || 0;
    const [, first] = /bytes (\d+)-/.exec(response.headers.get("Content-Range") ?? "") ?? [0, 0];
    return { offset: Number(first), total: head("Dunlin-Total"), attempt: head("Dunlin-Attempt"),
      ended: head("Dunlin-Ended") === 1, data: new Uint8Array(await response.arrayBuffer()) };
  } catch (problem) {
    if (problem.status === 416) return null;
    throw problem;
  }
}

const decoded = (base64) => Uint8Array.from(atob(base64), (each) => each.charCodeAt(0));

/** The output of a task and how it stands. @returns {{buffer: LogBuffer, version: number, ...}} */
function useOutput(name, index, stream, attempt) {
  const words = ["jobs", name, "tasks", String(index), "output"];
  const query = { stream, attempt: attempt || "" };
  const buffer = useRef(new LogBuffer());
  const [version, redraw] = useReducer((value) => value + 1, 0);
  const [problem, setProblem] = useState(null);
  const [told, setTold] = useState(null);  // {total, ended, attempt} as last said.

  const take = (part) => {
    if (!part) return setTold((before) => before ?? { total: 0, ended: false, attempt });
    if (!buffer.current.append(part.offset, part.data)) {
      buffer.current.clear();
      buffer.current.append(part.offset, part.data);
    }
    setTold({ total: Math.max(part.total, buffer.current.end), ended: part.ended,
      attempt: part.attempt });
    return redraw();
  };
  const fetched = (range) => piece(words, query, range).then((part) => {
    setProblem(null);
    take(part);
  }, (error) => setProblem(error));
  useEffect(() => {
    buffer.current.clear();
    setTold(null);
    fetched(`-${kTail}`);
  }, [name, index, stream, attempt]);

  // Only the last attempt goes on, and only until it has ended.
  const goesOn = told && !told.ended && !attempt;
  useTopic(goesOn ? `log:${name}.${index}${stream === "err" ? ".err" : ""}` : undefined,
    (news, kind) => {
    if (kind === "log") {
      if (news.attempt > (told?.attempt ?? 0)) buffer.current.clear();
      take({ ...news, data: decoded(news.data) });
    } else if (kind === "reset") {
      fetched(buffer.current.empty ? `-${kTail}` : `${buffer.current.end}-`);
    }
  });

  const earlier = async () => {
    const begin = buffer.current.begin;
    const part = await piece(words, query, `${Math.max(begin - kEarlier, 0)}-${begin - 1}`);
    if (part && part.offset + part.data.length === buffer.current.begin) {
      buffer.current.prepend(part.data);
      redraw();
    }
  };
  return { buffer: buffer.current, version, problem, told, earlier };
}

/** Numbers of lines with what is searched for. */
function useHits(buffer, version, search) {
  return useMemo(() => {
    const found = [];
    if (!search) return found;
    for (let at = 0; at < buffer.lines.length && found.length < kHitsMax; ++at) {
      if (shownLine(buffer.lines[at]).toLowerCase().includes(search)) found.push(at);
    }
    return found;
  }, [version, search]);
}

function Search({ search, setSearch, hits, at, step }) {
  const typed = (event) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    if (event.key === "Escape") setSearch("");
  };
  return html`<div class="buttons">
    <input type="search" aria-label="Search the output" placeholder="Search" value=${search}
      onKeyDown=${typed}
      onInput=${(event) => setSearch(event.target.value)} />
    ${search && html`<span class="quiet" role="status">
      ${hits.length ? `${at + 1} of ${count(hits.length)}` : "not found"}</span>
      <button class="small" aria-label="Hit before" disabled=${!hits.length}
        onClick=${() => step(-1)}>↑</button>
      <button class="small" aria-label="Next hit" disabled=${!hits.length}
        onClick=${() => step(1)}>↓</button>`}
  </div>`;
}

/**
 * @param {{name: string, index: number, stream: "out" | "err", attempt: number}} props `attempt` 0:
 * the last
 */
export function Log({ name, index, stream, attempt }) {
  const { buffer, version, problem, told, earlier } = useOutput(name, index, stream, attempt);
  const [follow, setFollow] = useState(true);
  const [search, setSearch] = useState("");
  const [at, setAt] = useState(0);
  const wanted = search.toLowerCase();
  const hits = useHits(buffer, version, wanted);
  const step = (by) => {
    setFollow(false);
    setAt((before) => (hits.length ? (before + by + hits.length) % hits.length : 0));
  };
  useEffect(() => setAt(0), [wanted]);
  const save = address(["jobs", name, "tasks", String(index), "output"],
    { stream, attempt: attempt || "", download: 1 });
  const written = stream === "err" ? "stderr" : "stdout";
  return html`<header>
      <${Search} search=${search} setSearch=${setSearch} hits=${hits} at=${at} step=${step} />
      <span class="spring"></span>
      ${told && html`<span class="quiet">${bytes(told.total)}${told.ended ? "" : ", and goes on"}
        </span>`}
      <button class=${follow ? "small on" : "small"} aria-pressed=${follow}
        onClick=${() => setFollow(!follow)}>Follow</button>
      <a class="button" href=${save} download>Download</a>
    </header>
    <${Trouble} problem=${problem} />
    ${buffer.begin > 0 && html`<div class="pager">
      <span>The first ${bytes(buffer.begin)} are not shown.</span>
      <button class="small" onClick=${() =>
        earlier().catch(() => {})}>Show ${bytes(Math.min(kEarlier, buffer.begin))} more</button>
        </div>`}
    ${buffer.lines.length > 0
      ? html`<${Lines} lines=${buffer.lines} version=${version} numbered=${buffer.begin === 0}
        search=${wanted} hit=${wanted && hits.length ? hits[Math.min(at, hits.length - 1)] : null}
          follow=${follow}
        onScroll=${(bottom) => bottom !== follow && setFollow(bottom)}
          label=${`What the task wrote to ${written}`} />`
      : told && !problem && html`<${Empty}
        title=${told.ended ? `It wrote nothing to ${written}.` : `Nothing is on ${written} yet.`}>
        ${told.ended ? "" : "What it writes appears here by itself. "}A job may send its output to a
          file instead: then it is not kept here.</${Empty}>`}`;
}
