// SPDX-License-Identifier: MIT
// A form that writes a job file, shows it, and submits it.
import { html, useMemo, useRef, useState } from "../base/html.js";
import { post, session } from "../base/api.js";
import { useAnswer } from "../base/answer.js";
import { many } from "../base/format.js";
import { jobFile, readForm } from "../base/job_file.js";
import { go, to, useRoute } from "../base/route.js";
import { Sheet, Trouble } from "../parts/words.js";

const kBlank = { name: "", command: "", count: "1", cpus: "1", memory: "", entries: "", class: "",
  priority: "50", retries: "0",
  time_limit: "", constraints: "", custom: "", environment: "", directory: "", deadline: "",
    at_once: "0", replicas: "0", hold: false };

function Field({ form, set, mistake, name, label, hint, wide, rows, ...rest }) {
  const wrong = mistake?.field === name;
  const change = (event) => set({ ...form, [name]: event.target.value });
  const props = { value: form[name], onInput: change, "aria-invalid": wrong ? "true" : undefined,
    spellcheck: false, name, ...rest };
  return html`<label class=${wide ? "field wide" : "field"}><span>${label}
    ${hint && html` <small>${hint}</small>`}</span>
    ${rows ? html`<textarea rows=${rows} ...${props}></textarea>` : html`<input ...${props} />`}
    ${wrong && form.touched && html`<span class="bad">${mistake.message}</span>`}</label>`;
}

function Fields(props) {
  const field = (name, label, hint, rest) =>
    html`<${Field} ...${props} name=${name} label=${label} hint=${hint} ...${rest} />`;
  const { form, set } = props;
  return html`
    <${Sheet} title="What runs"><div class="form">
      ${field("command", "Command", "a shell runs it",
        { rows: 4, wide: true, placeholder: 'echo "part $DUNLIN_TASK_INDEX of $DUNLIN_TASK_COUNT"',
        required: true })}
      ${field("name", "Name", "of the job", { placeholder: "sweep" })}
      ${field("count", "Tasks", "numbered $DUNLIN_TASK_INDEX",
        { type: "number", min: 1, max: 1000000 })}
      ${field("cpus", "CPUs", "of each task", { inputmode: "decimal" })}
      ${field("memory", "Memory", "of each task; empty: no limit", { placeholder: "4G" })}
      ${field("entries", "Or a task for each of these lines", "it is $DUNLIN_ENTRY",
        { rows: 2, wide: true })}
    </div></${Sheet}>
    <details class="sheet" open=${form.more}><summary
      style=${{ padding: ".6rem .9rem", cursor: "pointer" }}>Where, how long, how often</summary>
      <div class="body"><div class="form">
        ${field("custom", "Other resources", "of each task", { placeholder: "gpu=1" })}
        ${field("constraints", "Constraints", "", { placeholder: "arch=x86_64 kernel>=6.1" })}
        ${field("directory", "Directory", "empty: a scratch one", { placeholder: "/data/project" })}
        ${field("class", "Class", "whose share it uses", { placeholder: "default" })}
        ${field("priority", "Priority", "0 to 100", { type: "number", min: 0, max: 100 })}
        ${field("retries", "Retries", "of a task that fails",
          { type: "number", min: 0, max: 1000 })}
        ${field("at_once", "At once", "0: as many as fit", { type: "number", min: 0 })}
        ${field("time_limit", "Time limit", "of a task", { placeholder: "1h30m" })}
        ${field("deadline", "Deadline", "of the job, from now", { placeholder: "4h" })}
        ${field("replicas", "Replicas", "nodes that could take it over",
          { type: "number", min: 0, max: 4 })}
        ${field("environment", "Environment", "NAME=VALUE, a line each",
          { rows: 2, wide: true, placeholder: "LEVEL=9" })}
        <label class="check wide"><input type="checkbox" checked=${form.hold} onChange=${(event) =>
          set({ ...form, hold: event.target.checked })}
            /> Hold it: it starts nothing before it is released</label>
      </div></div></details>`;
}

function File({ job, children }) {
  const written = jobFile(job);
  const [copied, setCopied] = useState(false);
  const copy = () => navigator.clipboard?.writeText(written).then(() => setCopied(true), () => {});
  return html`<${Sheet} title="The job file"
    note=${html`what <code>dunlin submit -f job.toml</code> reads`}
    tools=${html`<button class="small" type="button" onClick=${copy}>${copied ? "Copied" : "Copy"}
      </button>`}>
    <pre class="file" tabindex="0" aria-label="The job file">${written}</pre>${children}
      </${Sheet}>`;
}

/** The button; a key makes of two presses one job, also when the answer to the first was lost. */
function Send({ job, disabled }) {
  const said = JSON.stringify(job);
  const [last, setLast] = useState({});
  const drawn = useRef({});
  const state = last.said === said ? last
    : {};  // What became of another job says nothing of this one.
  const send = async () => {
    if (drawn.current.said !== said) {
      const bytes = [...crypto.getRandomValues(new Uint8Array(16))];
      drawn.current = { said, key: bytes.map((each) =>
        each.toString(16).padStart(2, "0")).join("") };
    }
    setLast({ said, busy: true });
    try {
      const told = await post(["jobs"], job, { "Idempotency-Key": drawn.current.key });
      go(to(["job", told.known_as ?? told.job]));
    } catch (problem) {
      setLast({ said, problem });
    }
  };
  const never = state.problem?.kind === "usage" && /can ever/.test(state.problem.message);
  return html`<${Trouble} problem=${state.problem} />
    ${never && html`<p>It would wait until a larger node joins:
      add <code>allow_unsatisfiable = true</code> to the job file if that is meant.</p>`}
    <button class="main" type="button" disabled=${disabled || state.busy} onClick=${send}>
      ${state.busy ? "Submitting …" : "Submit"}</button>`;
}

/** A form filled from a job that is there, if the form can say all of it; else null. */
function formOf(job) {
  const [group, ...others] = job.groups;
  const words = group.command ?? [];  // A script may have no arguments.
  const script = words.length === 3 && words[0] === "/bin/sh" && words[1] === "-c" ? words[2] : null;
  const known = ["command", "count", "demand", "entries", "constraints", "priority", "retries",
    "environment", "directory", "at_once"];
  const plain = Object.entries(group).every(([member, value]) => known.includes(member) || !value
    || value?.length === 0);
  if (others.length || typeof script !== "string" || !plain) return null;
  return { ...kBlank, name: job.name ?? "", class: job.class ?? "", command: script,
    count: String(group.count ?? 1),
    cpus: String((group.demand?.cpu_milli ?? 1000) / 1000), memory: group.demand?.memory_mib
      ? `${group.demand.memory_mib}M` : "",
    entries: (group.entries ?? []).filter((each) => typeof each === "string").join("\n"),
      constraints: (group.constraints ?? []).join(" "),
    priority: String(group.priority ?? 50), retries: String(group.retries ?? 0),
      directory: group.directory ?? "",
    at_once: String(group.at_once ?? 0),
      custom: Object.entries(group.demand?.custom ?? {}).map(([name, value]) =>
      `${name}=${value}`).join(" "),
    environment: Object.entries(group.environment ?? {}).map(([name, value]) =>
      `${name}=${value}`).join("\n"), touched: true };
}

/** A job that is there, said again. */
function Again({ from, fill }) {
  const answer = useAnswer(["jobs", from], { request: 1 });
  const job = answer.data?.request;
  if (!job) return html`<${Trouble} problem=${answer.problem} />
    ${!answer.problem && html`<p class="quiet" aria-busy="true">Loading …</p>`}`;
  const form = formOf(job);
  return html`<div class="notice"><p>This is <a href=${to(["job", from])}>${from}
    </a> as it was asked for, with
      ${" "}${many(job.groups.length, "group")}. Submit it again as it is, ${form
        ? html`or <button class="small" type="button"
      onClick=${() => fill(form)}>change it in the form</button>.`
        : html`or copy the file, change it, and say <code>dunlin submit -f</code>.`}</p></div>
    <${File} job=${job}><p></p><${Send} job=${job} /></${File}>`;
}

export function Page() {
  const { query } = useRoute();
  const [form, set] = useState(kBlank);
  const { job, mistake } = useMemo(() => {
    try {
      return { job: readForm(form) };
    } catch (wrong) {
      return { mistake: wrong };
    }
  }, [form]);
  const last = useRef(null);
  if (job) last.current = job;
  const title = html`<div class="head"><h1>${query.from ? "Submit again" : "Submit a job"}</h1>
    </div>`;
  if (session.get().read_only) return html`${title}<div class="notice warn">
    <p>This login may only read.</p></div>`;
  const fill = (given) => {
    set(given);
    go(to("submit"), true);
  };
  if (query.from) return html`${title}<${Again} from=${query.from} fill=${fill} />`;
  const touch = (next) => set({ ...next, touched: true });
  return html`${title}<form class="columns" onSubmit=${(event) => event.preventDefault()}>
    <div><${Fields} form=${form} set=${touch} mistake=${mistake} /></div>
    <div><${File} job=${job ?? last.current ?? { groups: [{ command: ["/bin/sh", "-c", "…"] }] }}>
      <p></p>
      ${mistake && form.touched && html`<p class="bad" role="status">${mistake.message}</p>`}
      <${Send} job=${job} disabled=${!job} /></${File}></div></form>`;
}
