// SPDX-License-Identifier: MIT
// One node: is it well, what runs there, what it has seen, and taking it out of use.
import { html } from "../base/html.js";
import { post, session } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { ago, bytes, command, count, cpus, duration, mebibytes, resources,
  time } from "../base/format.js";
import { to, useRoute } from "../base/route.js";
import { Meter } from "../parts/bars.js";
import { Act, Ask } from "../parts/dialog.js";
import { EventList } from "../parts/event_list.js";
import { Past, Spans } from "../parts/past.js";
import { Pager, Table } from "../parts/table.js";
import { taskLink } from "../parts/task_columns.js";
import { Empty, Facts, Sheet, Shown, State } from "../parts/words.js";

const kAgainMs = 5000;
const kLasts = { "": "until I take it back", 3600: "for an hour", 14400: "for four hours",
  86400: "for a day", 604800: "for a week" };

function Buttons({ node, again }) {
  const who = session.get();
  if (who.administrator === false || who.read_only || node.state === "down") return null;
  const say = (body) => post(["nodes", node.name, "drain"], body).then(again);
  if (node.drain) return html`<div class="buttons"><${Act} text="Take tasks again"
    act=${() => say({ on: false })} /></div>`;
  const drain = (form) => {
    const lasts = form.get("lasts");
    return say({ on: true, reason: form.get("reason"),
      ...(lasts ? { lasts_ns: Number(lasts) * 1e9 } : {}) });
  };
  return html`<div class="buttons"><${Ask} text="Drain" title=${`Drain ${node.name}?`}
    yes="Drain it" act=${drain}
    question="It takes no new tasks. Those that run there go on.">
    <label class="field"><span>Why</span><input name="reason" maxlength="255"
      placeholder="new memory" /></label>
    <label class="field"><span>How long</span><select name="lasts">
      ${Object.entries(kLasts).map(([value, words]) => html`
      <option value=${value}>${words}</option>`)}</select></label></${Ask}></div>`;
}

/** What is wrong, in sentences. */
function Health({ told }) {
  const { node } = told;
  const lines = [];
  if (node.sick) lines.push(["bad",
    `It is sick: ${node.sick}. It takes no tasks until it is well.`]);
  if (node.unreachable) lines.push(["bad", node.unreachable.what]);
  if (node.trouble) lines.push(["bad", node.trouble]);
  if (node.state === "down") lines.push(["bad", told.farewell ? "It said good-bye and is down."
    : "It is down: nobody has heard of it."]);
  if (node.state === "suspect") lines.push(["warn",
    "It was asked in vain for 10 s, and may be down."]);
  if (node.drain) {
    const by = node.drain.by ? ` by ${node.drain.by}` : "";
    const until = node.drain.until_ns ? ` until ${time(node.drain.until_ns)}` : "";
    lines.push(["warn", `It is drained${by} since ${time(node.drain.since_ns)}${until}${node.drain.reason ? `: ${node.drain.reason}` : ""}.`]);
  }
  return lines.map(([grave, words]) => html`<div class=${`notice ${grave}`}><p>${words}</p></div>`);
}

function About({ told }) {
  const { node } = told;
  const holds = Object.entries(node.enforced ?? {}).filter(([, by]) => by).map(([what]) => what);
  return html`<${Sheet} title="The machine">
    <div class="columns">
      <div><h3>CPUs</h3><${Meter} used=${node.free ? node.total.cpu_milli - node.free.cpu_milli : 0}
        total=${node.total.cpu_milli}
        words=${`${cpus(node.free?.cpu_milli)} of ${cpus(node.total.cpu_milli)} are free`} /></div>
      <div><h3>Memory</h3><${Meter}
        used=${node.free ? node.total.memory_mib - node.free.memory_mib : 0}
        total=${node.total.memory_mib}
        words=${`${mebibytes(node.free?.memory_mib)} of ${mebibytes(node.total.memory_mib)} are free`} /></div>
    </div><p></p>
    <${Facts} of=${[["Address", node.address], ["Id", html`<code>${node.node}</code>`],
      ["Version", node.version],
      ["Slots", node.slots && `${count(node.slots.busy)} busy, ${count(node.slots.available)} available`], ["Queue", count(node.queued)],
      ["Jobs at home", html`<a href=${to("jobs", { node: node.name })}>${count(node.jobs)}</a>`],
      ["Has besides", Object.entries(node.total.custom).map(([name, value]) =>
        `${count(value)} ${name}`).join(", ")],
      ["Limits by", node.limits], ["Holds tasks to", holds.join(", ")],
        ["Keeps copies", told.keeps_copies ? "of jobs of others" : ""],
      ["Since", told.since_at_ns ? ago(told.since_at_ns) : ""],
        ["News", `${duration(node.age_ns)} old`],
      ["Attributes", html`<code>
        ${Object.entries(node.attributes).map(([name, value]) => `${name}=${value}`).join("  ")}
        </code>`, true]]} />
  </${Sheet}>`;
}

const kTasks = [
  { title: "Job", kind: "name", cell: (task) =>
    html`<a href=${to(["job", task.known_as])}><bdi>${task.name || task.known_as}</bdi></a>
    <span class="two">${task.known_as}</span>` },
  { title: "Task", kind: "num", cell: (task) =>
    (task.index === undefined ? task.tasks && `${count(task.tasks)} wanted`
    : html`<a href=${taskLink(task.known_as, task.index)}>${count(task.index)}</a>`) },
  { title: "Owner", hide: "s", cell: (task) =>
    html`<a href=${to("jobs", { user: task.owner })}><bdi>${task.owner}</bdi></a>` },
  { title: "State", cell: (task) => html`<${State} of=${task.state} />` },
  { title: "For", kind: "num", cell: (task) => duration(task.age_ns) },
  { title: "Asked for", hide: "m", cell: (task) => resources(task.demand) },
  { title: "CPUs now", kind: "num", hide: "s", cell: (task) => cpus(task.used?.cpu_milli) },
  { title: "Memory now", kind: "num", hide: "s", cell: (task) =>
    (task.used?.memory_bytes ? bytes(task.used.memory_bytes) : "–") },
  { title: "Devices", hide: "m", cell: (task) =>
    task.devices?.map((each) => `${each.resource} ${each.numbers.join(",")}`).join(" ") },
  { title: "Command", kind: "text", hide: "m", cell: (task) =>
    html`<code>${command(task.command).slice(0, 80)}</code>` },
];

function Tasks({ name }) {
  const { query } = useRoute();
  const answer = useAnswer(["nodes", name, "tasks"], { limit: 100, after: query.after },
    { every: kAgainMs });
  return html`<${Sheet} title="Its tasks" flush
    note=${answer.data && `${count(answer.data.running)} run, ${count(answer.data.queued)} wait in its queue`}>
    <${Shown} answer=${answer}>
      ${(told) => html`<${Table} label="Tasks of the node" rows=${told.tasks} columns=${kTasks}
      id=${(task) => `${task.job}.${task.index}.${task.group}.${task.place}`}
      empty=${html`<${Empty} title="Nothing runs or waits here."><a
        href=${to("jobs", { state: "waiting" })}>Jobs that wait</a> may want
        more than it has.</${Empty}>`} />
      <${Pager} shown=${told.tasks.length} total=${told.running + told.asking + told.queued}
        next=${told.next} what="tasks" />`}</${Shown}></${Sheet}>`;
}

function Events({ name }) {
  const answer = useAnswer(["nodes", name, "events"], {}, { topic: `events:${name}` });
  return html`<${Sheet} title="Its events" flush
    tools=${html`<a href=${to("events", { node: name })}>All of them</a>`}>
    <${Shown} answer=${answer}>${(told) => html`<${EventList} events=${told.events.slice(-20)} />`}
      </${Shown}></${Sheet}>`;
}

function Gone({ gone }) {
  return html`<div class="head"><h1><bdi>${gone.name}</bdi></h1><${State} of="down" words="gone" />
    </div>
    <div class="notice warn">
      <p>It left without a good-bye; it was last heard
        of ${ago(gone.heard_at_ns)} at ${gone.address}.</p>
      <p>If it does not come back, an administrator may say <code>dunlin node forget ${gone.name}
        </code>.</p></div>`;
}

export function Page({ path: [, asked] }) {
  const answer = useAnswer(["nodes", asked], {}, { every: kAgainMs });
  return html`<div class="crumbs"><a href=${to("nodes")}>Nodes</a> / ${asked}</div><${Shown}
    answer=${answer}>${(told) => {
    if (!told.node) return html`<${Gone} gone=${told.gone} />`;
    const { node } = told;
    const answers = !["down", "suspect"].includes(node.state);
    return html`
      <div class="head"><h1><bdi>${node.name}</bdi></h1><${State} of=${node.state} />
        ${told.here && html`<span class="quiet">the node that this page asks</span>`}
        <span class="spring"></span><${Buttons} node=${node} again=${answer.again} /></div>
      <${Health} told=${told} /><${About} told=${told} />
      ${answers && html`<${Tasks} name=${node.name} />
        <${Sheet} title="Its past" tools=${html`<${Spans} />`}><${Past}
          words=${["nodes", node.name, "past"]} /></${Sheet}>
        <${Events} name=${node.name} />
        <p><a href=${to(["overlay", node.name])}>Which nodes it knows, and which know it</a></p>
        ${session.get().administrator !== false
          && html`<p><a href=${to("audit", { node: node.name })}>What users asked this node for</a>
          </p>`}`}`;
  }}</${Shown}>`;
}
