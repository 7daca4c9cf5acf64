// SPDX-License-Identifier: MIT
// A page that fails, as by an answer of another version, takes nothing else with it.
import { Component, html } from "../base/html.js";

export class Guard extends Component {
  componentDidCatch(error) {
    console.error(error);
    this.setState({ error });
  }

  render({ children }, { error }) {
    if (!error) return children;
    return html`<h1>This page failed</h1><div class="notice bad" role="alert">
      <p>It could not show what the gateway answered: ${error.message}.</p>
      <p>Load it anew. If it fails again, the gateway may be older or newer than the agent.</p>
        </div>`;
  }
}
