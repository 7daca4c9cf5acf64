// SPDX-License-Identifier: MIT
// Which tasks of a large job stand where: a strip of ranges, from the first task to the last. A job
// of a million tasks takes as much room as one of ten thousand.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, many } from "../base/format.js";
import { to } from "../base/route.js";
import { kTaskStates } from "./bars.js";
import { useWidth } from "./width.js";
import { Sheet, Shown, State } from "./words.js";

const kAgainMs = 5000;
const kBins = 100;
const kHigh = 64;
/** The least height of a part, in pixels: one task of ten thousand that failed is seen. */
const kPartMin = 2;

/** "Tasks 0 to 9 999: 12 failed, 9 988 done". */
const words = (bin) => `Tasks ${count(bin.first)} to ${count(bin.last)}: `
  + kTaskStates.filter((state) => bin.counts[state])
    .map((state) => `${count(bin.counts[state])} ${state}`).join(", ");

/** The parts of a range from the top, with the height of each; together they fill the strip. */
function parts(bin) {
  const some = kTaskStates.filter((state) => bin.counts[state] > 0);
  const all = bin.last - bin.first + 1;
  const tall = some.map((state) => Math.max((bin.counts[state] / all) * kHigh, kPartMin));
  const scale = kHigh / tall.reduce((sum, value) => sum + value, 0);
  let y = 0;
  return some.map((state, at) => {
    const part = { state, y, height: tall[at] * scale };
    y += part.height;
    return part;
  });
}

function Strip({ told, name }) {
  const [box, width] = useWidth();
  const step = width / told.bins.length;
  return html`<div ref=${box}>
    <svg class="time-line" viewBox=${`0 0 ${width} ${kHigh + 18}`} height=${kHigh + 18}
      aria-label="Tasks by state, from the first to the last">
      ${told.bins.map((bin, at) => html`
        <a href=${to(["job", name], { tab: "tasks", after: bin.first })} aria-label=${words(bin)}>
          <title>${words(bin)}</title>
          ${parts(bin).map((part) => html`<rect class=${`f-${part.state}`} x=${at * step}
            y=${part.y} width=${Math.max(step - 1, 1)} height=${part.height} />`)}</a>`)}
      <text x="0" y=${kHigh + 14}>0</text>
      <text x=${width} y=${kHigh + 14} text-anchor="end">${count(told.count - 1)}</text></svg>
    <div class="legend">${kTaskStates.filter((state) => told.counts[state]).map((state) =>
      html`<${State} of=${state} words=${state} />`)}</div>
  </div>`;
}

/** @param {{name: string, finished: boolean}} props of a job */
export function TaskBins({ name, finished }) {
  const answer = useAnswer(["jobs", name, "bins"], { bins: kBins },
    { every: finished ? 0 : kAgainMs });
  // What became of each task may be forgotten: then the counts above are all there is.
  if (answer.data && answer.data.bins.length === 0) return null;
  return html`<${Sheet} title="Which tasks"
    note=${answer.data && `${many(answer.data.width, "task")} a column`}>
    <${Shown} answer=${answer}>${(told) => html`<${Strip} told=${told} name=${name} />`}</${Shown}>
  </${Sheet}>`;
}
