// SPDX-License-Identifier: MIT
// What its owner and administrators may do with a job.
import { html } from "../base/html.js";
import { patch, post, session } from "../base/api.js";
import { many } from "../base/format.js";
import { to } from "../base/route.js";
import { Act, Ask } from "./dialog.js";

/** Whether the user may change what `owner` has: the agent decides, this is what to show. */
export function mayChange(owner) {
  const who = session.get();
  return Boolean(who) && !who.read_only && (who.administrator !== false || who.user === owner);
}

/**
 * @param {{job: object, name: string, again: () => void}} props a Summary; `again` asks for it anew
 */
export function JobButtons({ job, name, again }) {
  if (!mayChange(job.owner)) return null;
  const { counts } = job;
  const say = (verb, body) => post(["jobs", name, verb], body).then(again);
  const left = counts.waiting + counts.running + counts.cancelling;
  return html`<div class="buttons">
    ${!job.finished && (job.state === "held"
      ? html`<${Act} text="Release" act=${() => say("release")} />`
      : html`<${Act} text="Hold" act=${() => say("hold")} />`)}
    ${!job.finished && html`<${Ask} text="Priority" title=${`Priority of ${name}`} yes="Set it"
      question="From 0 to 100; of jobs that wait, higher ones go first."
      act=${(form) => patch(["jobs", name],
        { priority: Number(form.get("priority")) }).then(again)}>
      <label class="field"><span>Priority</span>
        <input name="priority" type="number" min="0" max="100" required defaultValue=${job.priority} />
          </label></${Ask}>`}
    ${counts.running > 0 && html`<${Ask} text="Requeue" title=${`Requeue ${name}?`}
      yes="Stop and run again"
      question=${`${many(counts.running, "task")} that ${counts.running === 1 ? "runs is"
        : "run are"} stopped and made again, perhaps on other nodes.`}
      act=${() => say("requeue", {})} />`}
    ${counts.failed > 0 && html`<${Ask} text="Retry" title=${`Retry ${name}?`} yes="Run them again"
      question=${`${many(counts.failed, "task")} that failed run again, in the same job.`}
      act=${() => say("retry", { failed: true })} />`}
    <a class="button" href=${to("submit", { from: name })}>Submit again</a>
    ${!job.finished && html`<${Ask} text="Cancel" grave title=${`Cancel ${name}?`}
      yes="Cancel the job"
      question=${`${many(left, "task")} that ${left === 1 ? "has"
        : "have"} not ended will be stopped or will not start.`}
      act=${() => say("cancel", {})} />`}
  </div>`;
}
