// SPDX-License-Identifier: MIT
// What happens at a node: what it remembers, and what comes from now on.
import { html, useEffect, useState } from "../base/html.js";
import { useAnswer } from "../base/answer.js";
import { useTopic } from "../base/live.js";
import { refine, useRoute } from "../base/route.js";
import { EventList } from "../parts/event_list.js";
import { Sheet, Shown } from "../parts/words.js";
import { FilterField } from "./jobs.js";

const kLevels = ["info", "warn", "error"];
const kKept = 1000;

/** Whether one of the patterns (`job_*`) is of this event; none: yes. */
function matches(names, event) {
  return !names || names.split(",").some((name) =>
    (name.endsWith("*") ? event.startsWith(name.slice(0, -1)) : event === name));
}

export function Page() {
  const { query } = useRoute();
  const { node, names } = query;
  const level = kLevels.includes(query.level) ? query.level : "info";
  const answer = useAnswer(node ? ["nodes", node, "events"] : ["events"], { level, names });
  const [fresh, setFresh] = useState([]);
  useEffect(() => setFresh([]), [node, level, names]);
  useTopic(node ? `events:${node}` : "events", (told, kind) => {
    if (kind === "reset") answer.again();
    if (kind !== "events") return;
    const wanted = told.events.filter((event) =>
      kLevels.indexOf(event.level) >= kLevels.indexOf(level) && matches(names, event.event));
    if (wanted.length) setFresh((before) => [...before, ...wanted].slice(-kKept));
  });
  return html`
    <div class="head"><h1>Events</h1><span
      class="quiet">of ${node || "the node that this page asks"}, as they come</span></div>
    <${Sheet} flush>
      <div class="filters"><${FilterField} name="node" label="Node" hint="this one" />
        <label class="field"><span>From level</span><select value=${level}
          onChange=${(event) => refine({ level: event.target.value })}>
          ${kLevels.map((word) => html`<option value=${word}>${word}</option>`)}</select></label>
        <${FilterField} name="names" label="Names" hint="job_*,neighbour_down" /></div>
      <${Shown} answer=${answer}>${(told) => {
        const last = told.events.at(-1)?.at_ns ?? 0;
        return html`<${EventList}
          events=${[...told.events, ...fresh.filter((event) => event.at_ns > last)]} />`;
      }}</${Shown}>
    </${Sheet}>`;
}
