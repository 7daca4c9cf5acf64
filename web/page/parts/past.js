// SPDX-License-Identifier: MIT
// What a node has seen over the last hour, six hours or two days.
import { html, useEffect, useState } from "../base/html.js";
import { get, now, toNs } from "../base/api.js";
import { compact, cpus, duration, mebibytes } from "../base/format.js";
import { refine, to, useRoute } from "../base/route.js";
import { visible } from "../base/visible.js";
import { Chart } from "./chart.js";
import { Trouble } from "./words.js";

const kSpans = { hour: ["1 h", 3600, 5], hours: ["6 h", 21600, 60], days: ["2 d", 172800, 60] };
const kPictures = [
  ["CPUs", [["cpu_used_milli", "used by tasks", "fill-running", cpus],
    ["cpu_free_milli", "free", "fill-cancelled", cpus]]],
  ["Memory", [["memory_used_mib", "used by tasks", "fill-held", mebibytes],
    ["memory_free_mib", "free", "fill-cancelled", mebibytes]]],
  ["Tasks", [["running", "run", "fill-running", compact],
    ["queued", "wait in its queue", "fill-cancelling", compact]]],
  ["Attempts in each step",
    [["ended", "ended", "fill-done", compact], ["failed", "failed", "fill-failed", compact]]],
  ["Lateness of the agent", [["loop_late_ns", "late", "fill-cancelling", duration]]],
];
/** An answer has at most 4,000 values: two days of two figures take two. */
const kAnswersMax = 6;
const kAgainMs = 30000;

/** All steps of some figures since then: {at, values by figure}. */
async function collect(words, figures, seconds, step, signal) {
  const query = { figures: figures.join(","), step_ns: `${step}000000000` };
  let since = toNs(now() - seconds * 1000);
  const at = [];
  const values = Object.fromEntries(figures.map((name) => [name, []]));
  for (let each = 0; each < kAnswersMax && since; ++each) {
    const part = await get(words, { ...query, since_at_ns: since }, signal);
    const count = part.figures[0]?.values.length ?? 0;
    for (let number = 0; number < count; ++number) at.push(part.first_at_ns / 1e9 + number * step);
    for (const figure of part.figures) values[figure.name]?.push(...figure.values);
    since = part.next_at_ns;
  }
  return { at, values };
}

function Picture({ words, title, lines, span }) {
  const [past, setPast] = useState(null);
  const [problem, setProblem] = useState(null);
  useEffect(() => {
    const abort = new AbortController();
    const [, seconds, step] = kSpans[span];
    const look = () => visible.get()
      && collect(words, lines.map(([name]) => name), seconds, step, abort.signal)
      .then((told) => {
        setPast(told);
        setProblem(null);
      }, (error) => error.name !== "AbortError" && setProblem(error));
    look();
    const timer = setInterval(look, kAgainMs);
    const end = visible.on(look);
    return () => {
      abort.abort();
      clearInterval(timer);
      end();
    };
  }, [words.join("/"), span]);
  return html`<figure><h3>${title}</h3>
    ${problem ? html`<${Trouble} problem=${problem} />` : !past
      ? html`<p class="quiet chart">Loading …</p>`
      : past.at.length < 2 ? html`<p
        class="quiet chart">Nothing yet: the agent began a moment ago.</p>`
        : html`<${Chart} label=${title} at=${past.at}
          lines=${lines.map(([name, words_, shade, format]) => ({
          name: words_, values: past.values[name], colour: shade, format,
            binary: format === mebibytes }))} />`}
  </figure>`;
}

/** Links that choose how far back to look. The choice is in the address. */
export function Spans() {
  const { path, query } = useRoute();
  const span = kSpans[query.span] ? query.span : "hour";
  return html`<nav class="tabs" aria-label="How far back">
    ${Object.entries(kSpans).map(([word, [name]]) => html`
    <a href=${to(path, { ...query, span: word })} aria-current=${word === span ? "true" : undefined}
      onClick=${(event) => {
        event.preventDefault();
        refine({ span: word }, true);
      }}>${name}</a>`)}</nav>`;
}

/**
 * @param {{words: string[], pictures?: number}} props `words`: the path of `past`; the first so
 * many
 */
export function Past({ words, pictures = kPictures.length }) {
  const { query } = useRoute();
  const span = kSpans[query.span] ? query.span : "hour";
  return html`<div class="columns">${kPictures.slice(0, pictures).map(([title, lines]) => html`
    <${Picture} key=${title} words=${words} title=${title} lines=${lines} span=${span} />`)}</div>`;
}
