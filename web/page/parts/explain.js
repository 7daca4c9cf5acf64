// SPDX-License-Identifier: MIT
// Why a job waits, in words, and what would make it run.
import { html } from "../base/html.js";
import { count, duration, many, resources } from "../base/format.js";
import { to } from "../base/route.js";
import { useAnswer } from "../base/answer.js";
import { Sheet, Shown, State } from "./words.js";

const kAgainMs = 10000;

/** From all nodes to those that could start a task now: where it gets narrow is the reason. */
function Funnel({ census }) {
  const steps = [["nodes are known", census.known, {}], ["take tasks", census.up, { state: "up" }],
    ["satisfy the constraints", census.matching], ["are large enough", census.could_fit],
      ["have room now", census.fit_now]];
  return html`<ol class="plainly">${steps.map(([words, value, query], at) => {
    const narrow = value === 0 && (at === 0 || steps[at - 1][1] > 0);
    return html`<li class=${narrow ? "bad" : ""}><strong>
      ${query ? html`<a href=${to("nodes", query)}>${count(value)}</a>`
      : count(value)}</strong> ${words}</li>`;
  })}</ol>`;
}

/** What those that are large enough lack. */
function lacking(census) {
  const lines = [[census.cpu_short, "CPU"], [census.memory_short, "memory"],
    [census.custom_short, "another resource"],
    ...Object.entries(census.rates_short).map(([name, value]) => [value, name.replace("_", " ")])];
  return lines.filter(([value]) => value > 0).map(([value, name]) =>
    `${many(value, "node")} ${value === 1 ? "lacks" : "lack"} ${name}`);
}

function Group({ group, several }) {
  const { census } = group;
  const lacks = lacking(census);
  return html`<div>
    ${several && html`<h3>${group.name
      || `Group ${group.group}`}: ${many(group.waiting, "task")} wait</h3>`}
    <p><strong>${group.verdict.replace(/^./, (first) => first.toUpperCase())}.</strong></p>
    <div class="columns">
      <${Funnel} census=${census} />
      <ul class="plainly quiet">
        <li>A task asks for ${resources(group.demand)}
          ${group.guessed.length > 0 ? ` (${group.guessed.join(", ")}: an estimate)` : ""}.</li>
        ${group.constraints.length > 0
          && html`<li>Constraints: <code>${group.constraints.join("  ")}</code></li>`}
        ${census.failed_constraints.length > 0 && html`<li class="bad">No node satisfies${" "}
          <code>${census.failed_constraints.join("  ")}</code>.</li>`}
        ${lacks.length > 0 && html`<li>Of those that are large enough, ${lacks.join(", ")}.</li>`}
        ${census.could_fit === 0 && census.largest_name && html`<li>The largest is${" "}
          <a href=${to(["node", census.largest_name])}>${census.largest_name}
            </a> with ${resources(census.largest)}.</li>`}
        ${group.resting > 0 && html`<li>
          ${many(group.resting, "task")} rest after a start that failed by a node's fault.</li>`}
        ${group.probes.length > 0
          && html`<li>${many(group.probes.length, "question")} to nodes are out.</li>`}
        <li>It has waited for ${duration(group.waited_ns)}.</li>
      </ul>
    </div>
  </div>`;
}

/** @param {{name: string, title: string}} props of a job with tasks that wait */
export function Explain({ name, title }) {
  const answer = useAnswer(["jobs", name, "explain"], {}, { every: kAgainMs });
  return html`<${Sheet} title=${title}><${Shown} answer=${answer}>${(told) => html`
    ${told.reason && told.groups.length === 0 && html`<p>${told.reason}</p>`}
    ${told.groups.map((group) =>
      html`<${Group} key=${group.group} group=${group} several=${told.groups.length > 1} />`)}
    ${told.groups.length === 0 && !told.reason
      && html`<p class="quiet">No task of it waits any more.</p>`}
    ${told.not_up.length > 0 && html`<p class="quiet">Not taking tasks:${" "}
      ${told.not_up.slice(0, 12).map((node) => html`<a href=${to(["node", node.name])}>
        <${State} of=${node.state} words=${`${node.name} (${node.state})`} /></a> `)}</p>`}
  `}</${Shown}></${Sheet}>`;
}
