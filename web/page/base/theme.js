// SPDX-License-Identifier: MIT
// Light or dark: as the system says it, unless the user has said otherwise here.
import { keep, store } from "./store.js";

const dark = matchMedia("(prefers-color-scheme: dark)");
/** What the user said: `system`, `light` or `dark`. */
export const wish = store(keep("dunlin.theme") ?? "system");
/** What is shown: `light` or `dark`. Drawings on a canvas are made anew when it changes. */
export const theme = store("light");

function apply() {
  const said = wish.get();
  const shown = said === "system" ? (dark.matches ? "dark" : "light") : said;
  document.documentElement.dataset.theme = shown;
  theme.set(shown);
}
dark.addEventListener("change", apply);
wish.on(() => {
  keep("dunlin.theme", wish.get());
  apply();
});
apply();

/** The value of a colour of the sheet, for a canvas. */
export const colour = (name) =>
  getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
