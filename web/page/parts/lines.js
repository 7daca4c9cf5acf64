// SPDX-License-Identifier: MIT
// Lines of a log, of which only those in sight are in the document.
import { classes, html, useEffect, useLayoutEffect, useRef, useState } from "../base/html.js";
import { count } from "../base/format.js";
import { shownLine } from "../base/log_buffer.js";

const kSpare = 25;   // Rows beyond both edges.
const kRowsMax = 200;
const kFoot = 16;    // Room below the last line, in pixels.

/** The parts of a line, with what was searched for marked. */
function marked(line, search, here) {
  if (!search) return line;
  const text = line.toLowerCase();
  const parts = [];
  let at = 0;
  for (let found = text.indexOf(search); found >= 0
    && parts.length < 100; found = text.indexOf(search, at)) {
    parts.push(line.slice(at, found),
      html`<mark class=${here ? "now" : ""}>${line.slice(found, found + search.length)}</mark>`);
    at = found + search.length;
  }
  return [...parts, line.slice(at)];
}

/**
 * @param {{lines: string[], version: number, numbered: boolean, search: string,
 *   hit: number | null, follow: boolean, onScroll: (bottom: boolean) => void, label: string}} props
 * `version` changes with the lines; `search` in small letters; `hit`: the line to bring into sight
 */
export function Lines({ lines, version, numbered, search, hit, follow, onScroll, label }) {
  const box = useRef(null);
  const row = useRef(null);
  const [high, setHigh] = useState(19);
  const [view, setView] = useState({ top: 0, height: 600 });
  const look = () => box.current
    && setView({ top: box.current.scrollTop, height: box.current.clientHeight });

  useLayoutEffect(() => {
    const measured = row.current?.getBoundingClientRect().height;
    if (measured && Math.abs(measured - high) > 0.1) setHigh(measured);
  });
  useLayoutEffect(() => {
    if (follow) box.current.scrollTop = box.current.scrollHeight;
    look();
  }, [version, follow, high]);
  useEffect(() => {
    if (hit !== null) box.current.scrollTop = Math.max(hit * high - view.height / 2, 0);
  }, [hit]);
  useEffect(() => {
    const watch = new ResizeObserver(look);
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);

  const scrolled = () => {
    if (!box.current) return;  // An event that was on its way when the page changed.
    const { scrollTop, clientHeight, scrollHeight } = box.current;
    look();
    onScroll(scrollTop + clientHeight >= scrollHeight - high);
  };
  const first = Math.max(Math.floor(view.top / high) - kSpare, 0);
  const last = Math.min(first + Math.min(Math.ceil(view.height / high) + 2 * kSpare, kRowsMax),
    lines.length);
  return html`<div class="log" ref=${box} onScroll=${scrolled} role="log" aria-live="off"
    aria-label=${label} tabindex="0">
    <div style=${{ height: `${lines.length * high + kFoot}px` }}></div>
    <div class="rows" style=${{ top: `${first * high}px` }}>
      ${lines.slice(first, last).map((line, at) => {
      const number = first + at;
      return html`<div key=${number} ref=${at === 0 ? row : null}
        class=${classes("row", number === hit && "hit")}>
        <span class="at" aria-hidden="true">${numbered ? count(number + 1) : "·"}</span><span>${
          marked(shownLine(line), search, number === hit)}</span></div>`;
    })}</div>
  </div>`;
}
