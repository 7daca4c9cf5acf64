// SPDX-License-Identifier: MIT
// One field that goes to a job by its name or number, to a node, or else to the jobs that are
// called so.
import { html, useState } from "../base/html.js";
import { get } from "../base/api.js";
import { go, to } from "../base/route.js";

/** Where the text leads. @returns {Promise<string>} an address */
async function lead(text) {
  // A number alone is a job of the agent that is asked; `merlin.12.3` is a task of one.
  const [, job, task] = /^(.*?\.?\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  if (job) {
    const found = await get(["find"], { name: text }).catch(() => null);
    if (found) {
      const name = `${found.node_name}.${found.number}`;
      return task && /^\d+$/.test(found.tasks) ? to(["job", name, "task", found.tasks])
        : to(["job", name]);
    }
  }
  const node = await get(["nodes"], { name: text, limit: 2 }).catch(() => null);
  const exact = node?.nodes.find((each) => each.name === text || each.node === text);
  if (exact || node?.total === 1) return to(["node", (exact ?? node.nodes[0]).name]);
  if (node?.total > 1) return to("nodes", { name: text });
  return to("jobs", { name: /[*?]/.test(text) ? text : `*${text}*`, all: 1 });
}

export function Finder() {
  const [text, setText] = useState("");
  const submit = async (event) => {
    event.preventDefault();
    if (!text.trim()) return;
    const field = event.target.querySelector("input");
    const address = await lead(text.trim());
    field.blur();
    setText("");
    go(address);
  };
  return html`<form class="finder" onSubmit=${submit} role="search">
    <input type="search" class="find" aria-label="Go to a job or a node"
      placeholder="Go to a job or node" value=${text}
      onInput=${(event) => setText(event.target.value)} spellcheck=${false} autocomplete="off" />
        </form>`;
}
