// SPDX-License-Identifier: MIT
// When the attempts of a job ran: each by itself where there are few, else in bins of time. A job
// of a million tasks takes as much room as one of fifty.
import { html } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { count, duration, time } from "../base/format.js";
import { to } from "../base/route.js";
import { useWidth } from "./width.js";
import { Empty, Sheet, Shown, State } from "./words.js";

const kAgainMs = 10000;
const kBins = 120;
/** The agent reads each attempt for an answer: of so many not every few seconds. */
const kManyTasks = 10000;
const kEnds = ["done", "failed", "stopped", "lost"];
const kRow = 17;
/** How an attempt ended, as a colour. */
const shade = (how) => (["done", "lost"].includes(how) ? how
  : ["running", "starting", "suspended"].includes(how) ? "running"
  : ["killed", "preempted"].includes(how) ? "stopped" : "failed");

/** Sums of all groups by bin: {done, failed, stopped, lost, running}. */
function sums(told) {
  const zero = () => new Array(told.bins).fill(0);
  const all = Object.fromEntries([...kEnds, "started"].map((name) => [name, zero()]));
  for (const group of told.groups) {
    for (const name of Object.keys(all)) group.bins[name].forEach((value, at) =>
      { all[name][at] += value; });
  }
  let runs = 0;
  all.running = all.started.map((begun, at) => {
    runs = Math.max(runs + begun - all.done[at] - all.failed[at] - all.stopped[at], 0);
    return runs;
  });
  return all;
}

function Axis({ told, width, y, left = 0 }) {
  const whole = told.bin_ns * told.bins;
  const marks = [0, 0.25, 0.5, 0.75, 1].filter((_, at) => width > 480 || at % 2 === 0);
  return html`<line class="axis" x1=${left} x2=${width} y1=${y} y2=${y} />
    ${marks.map((part) => html`
    <text x=${left + (width - left) * part} y=${y + 14}
      text-anchor=${part === 0 ? "start" : part === 1 ? "end" : "middle"}>
      ${part === 0 ? time(told.submitted_at_ns) : `+ ${duration(whole * part)}`}</text>`)}`;
}

function Bins({ told }) {
  const [box, width] = useWidth();
  const all = sums(told);
  const ended = all.done.map((_, at) => kEnds.reduce((sum, name) => sum + all[name][at], 0));
  const top = Math.max(...ended, 1);
  const most = Math.max(...all.running, 1);
  const step = width / told.bins;
  const high = 90;
  const low = 62;
  const area = all.running.map((value, at) =>
    `L${at * step} ${low * (1 - value / most)} L${(at + 1) * step} ${low * (1 - value / most)}`);
  return html`<div ref=${box}>
    <h3>Run at a time <span class="side-note">at most ${count(most)}</span></h3>
    <svg class="time-line" viewBox=${`0 0 ${width} ${low + 1}`} height=${low + 1} role="img"
      aria-label=${`At most ${count(most)} attempts ran at a time`}>
      <path class="f-running" d=${`M0 ${low} ${area.join(" ")} L${width} ${low} Z`} /></svg>
    <h3>Ended <span class="side-note">at most ${count(top)} in ${duration(told.bin_ns)}</span></h3>
    <svg class="time-line" viewBox=${`0 0 ${width} ${high + 18}`} height=${high + 18} role="img"
      aria-label=${kEnds.map((name) =>
        `${count(all[name].reduce((sum, value) => sum + value, 0))} attempts ${name}`).join(", ")}>
      ${ended.map((_, at) => {
        let y = high;
        return kEnds.map((name) => {
          const tall = all[name][at] > 0 ? Math.max((all[name][at] / top) * (high - 4), 1.5) : 0;
          y -= tall;
          return tall > 0 && html`<rect class=${`f-${name}`} x=${at * step} y=${y}
            width=${Math.max(step - 1, 1)} height=${tall} />`;
        });
      })}
      <${Axis} told=${told} width=${width} y=${high} /></svg>
    <div class="legend">${[["done", "done"], ["failed", "failed"], ["cancelled", "stopped"],
      ["lost", "lost with a node"]].map(
      ([state, words]) => html`<${State} of=${state} words=${words} />`)}</div>
  </div>`;
}

/** A row for each task, a bar for each attempt: each links to the task. */
function Bars({ told, name }) {
  const [box, width] = useWidth();
  const left = 44;
  const whole = told.bin_ns * told.bins;
  const x = (at) => left + Math.min(Math.max((at - told.submitted_at_ns) / whole, 0),
    1) * (width - left);
  const bottom = told.tasks.length * kRow;
  return html`<div ref=${box}>
    <svg class="time-line" viewBox=${`0 0 ${width} ${bottom + 18}`} height=${bottom + 18}
      aria-label="Attempts over time">
      ${told.tasks.map((task, row) => html`
        <a href=${to(["job", name, "task", task.index])}
          aria-label=${`Task ${task.index}, ${task.state}`}>
          <text x="0" y=${row * kRow + 12}>${task.index}</text>
          ${task.attempts.filter((each) => each.started_at_ns || each.how === "lost").map((each) =>
            {
            const begin = x(each.started_at_ns ?? each.ended_at_ns);
            const end = x(each.ended_at_ns ?? told.now_at_ns);
            return html`<rect class=${`f-${shade(each.how)}`} rx="2" x=${begin} y=${row * kRow + 3}
              height=${kRow - 6}
              width=${Math.max(end - begin, 2)}><title>
                ${`Task ${task.index}, attempt ${each.attempt} on ${each.worker_name}: `
                + `${each.how}, ${duration((each.ended_at_ns
                  ?? told.now_at_ns) - (each.started_at_ns ?? each.ended_at_ns))}`}</title></rect>`;
          })}
        </a>`)}
      <${Axis} told=${told} width=${width} y=${bottom} left=${left} /></svg>
  </div>`;
}

/** @param {{name: string, finished: boolean, tasks: number}} props of a job */
export function Timeline({ name, finished, tasks }) {
  const answer = useAnswer(["jobs", name, "timeline"], { bins: kBins, bars: 40 },
    { every: finished ? 0 : tasks > kManyTasks ? 6 * kAgainMs : kAgainMs });
  return html`<${Sheet} title="Over time"><${Shown} answer=${answer}>${(told) => {
    if (told.groups.every((group) => group.started_at_ns === null)) {
      return html`<${Empty} title="Nothing has started yet.">Attempts appear here as they begin and
        end.</${Empty}>`;
    }
    return told.tasks.length > 0 ? html`<${Bars} told=${told} name=${name} />`
      : html`<${Bins} told=${told} />`;
  }}</${Shown}></${Sheet}>`;
}
