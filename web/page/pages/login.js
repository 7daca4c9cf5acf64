// SPDX-License-Identifier: MIT
// Logging in by a code that works once: `dunlin web login` prints it in a link.
import { html, useEffect, useState } from "../base/html.js";
import { logIn } from "../base/api.js";
import { go, to } from "../base/route.js";
import { Trouble } from "../parts/words.js";

/** The code in a link, or in what a user pasted. Empty: there is none. */
function codeOf(text) {
  const after = text.trim().split("#").pop();
  return /^[\w-]{16,128}$/.test(after) ? after : "";
}

/** Takes the code out of the address: it shall not stay in the history. */
export function takeCode() {
  const code = location.hash.startsWith("#/") ? "" : codeOf(location.hash.slice(1));
  if (code) go(to("overview"), true);
  return code;
}

const kWrong = "This code is not known: codes work once, within a minute.";

export function Login({ code }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(Boolean(code));
  const [pasted, setPasted] = useState("");

  const enter = async (given) => {
    setBusy(true);
    setProblem(null);
    try {
      await logIn(given);
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  useEffect(() => {
    if (code) enter(code);
  }, []);

  const submit = (event) => {
    event.preventDefault();
    enter(codeOf(pasted));
  };
  return html`<main class="login" tabindex="-1">
    <div class="brand"><img src="page/icon.svg" alt="" /><h1>Dunlin</h1></div>
    <section class="sheet"><div class="body">
      ${busy ? html`<p role="status">Logging in …</p>` : html`
        <p>On a machine of the cluster, say</p>
        <p><code>dunlin web login</code></p>
        <p>and open the link that it prints, or paste it here.</p>
        ${problem && (problem.status === 401 ? html`<div class="notice bad" role="alert">
          <p>${kWrong} Say <code>dunlin web login</code> once more.</p></div>`
          : html`<${Trouble} problem=${problem} />`)}
        <form onSubmit=${submit} class="form">
          <label class="field wide"><span>Link or code</span>
            <input value=${pasted} onInput=${(event) => setPasted(event.target.value)}
              autocomplete="off"
              spellcheck=${false} /></label>
          <div class="buttons"><button class="main" disabled=${!codeOf(pasted)}>Log in</button>
            </div>
        </form>`}
    </div></section>
  </main>`;
}
