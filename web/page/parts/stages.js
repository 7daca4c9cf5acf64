// SPDX-License-Identifier: MIT
// Groups of a job that wait for others, as a graph from the left to the right.
import { html } from "../base/html.js";
import { command, count, many, resources } from "../base/format.js";
import { State } from "./words.js";

/** How many stages come before each group. The agent refuses circles. */
function depths(groups) {
  const named = new Map(groups.map((group) => [group.name, group]));
  const known = new Map();
  const depth = (group) => {
    if (!group) return -1;
    if (!known.has(group)) {
      known.set(group, 0);
      known.set(group, Math.max(-1, ...group.after.map((stage) => depth(named.get(stage.group))))
        + 1);
    }
    return known.get(group);
  };
  return groups.map(depth);
}

/** @param {{groups: object[]}} props GroupState of a job */
export function Stages({ groups }) {
  const depth = depths(groups);
  const columns = Array.from({ length: Math.max(...depth) + 1 }, (_, at) =>
    groups.filter((_, each) => depth[each] === at));
  return html`<div class="stages" role="region" aria-label="Stages" tabindex="0">
    ${columns.map((column) => html`
    <ol>${column.slice(0, 20).map((group) => html`<li>
      <strong><bdi>${group.name || "(no name)"}</bdi></strong> <span class="quiet">
        ${many(group.count, "task")}</span>
      <div class="quiet">${resources(group.demand)}</div>
      <div class="mono" title=${command(group.command)}>${command(group.command).slice(0, 60)}</div>
      ${group.after.map((stage) =>
        html`<div><${State} of=${stage.state === "open" ? "waiting" : stage.state}
        words=${stage.state === "met" ? `${stage.group} is done` : stage.state === "missed"
          ? `${stage.group} failed`
          : `waits for ${count(stage.left)} of ${stage.group}`} /></div>`)}
    </li>`)}${column.length > 20 && html`<li>and ${many(column.length - 20, "group")} more</li>`}
      </ol>`)}</div>`;
}
