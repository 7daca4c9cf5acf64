// SPDX-License-Identifier: MIT
// Questions before what cannot be taken back.
import { html, useLayoutEffect, useRef, useState } from "../base/html.js";
import { Trouble } from "./words.js";

/** A modal dialog that is there as long as the component is. */
export function Dialog({ title, onClose, children }) {
  const box = useRef(null);
  useLayoutEffect(() => box.current.showModal(), []);
  return html`<dialog ref=${box} aria-label=${title} onClose=${onClose}>${children}</dialog>`;
}

/**
 * A button that asks first.
 * @param {{text: string, title: string, question: any, yes: string, grave?: boolean,
 *   disabled?: boolean, act: (form: FormData) => Promise<any>, children?: any}} props
 * `act` does it, and throws a Problem; `children` are fields of the form
 */
export function Ask({ text, title, question, yes, grave, disabled, act, children }) {
  const [open, setOpen] = useState(false);
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const done = () => {
    setOpen(false);
    setProblem(null);
    setBusy(false);
  };
  const submit = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      await act(new FormData(event.target));
      done();
    } catch (error) {
      setProblem(error);
      setBusy(false);
    }
  };
  return html`<button class=${grave ? "grave" : ""} disabled=${disabled}
    onClick=${() => setOpen(true)}>${text}</button>
    ${open && html`<${Dialog} title=${title} onClose=${done}>
      <form onSubmit=${submit}>
        <h2>${title}</h2>
        ${question && html`<p>${question}</p>`}
        ${children}
        <${Trouble} problem=${problem} />
        <div class="buttons">
          <button class=${grave ? "grave" : "main"} type="submit" disabled=${busy}>${yes}</button>
          <button type="button" onClick=${done}>Not now</button>
        </div>
      </form>
    </${Dialog}>`}`;
}

/** A button that acts at once, and says what failed beside it. */
export function Act({ text, act, disabled }) {
  const [problem, setProblem] = useState(null);
  const [busy, setBusy] = useState(false);
  const press = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await act();
    } catch (error) {
      setProblem(error);
    }
    setBusy(false);
  };
  return html`<button disabled=${busy || disabled} onClick=${press}>${text}</button>
    ${problem && html`<span class="bad" role="alert">${problem.message}</span>`}`;
}
