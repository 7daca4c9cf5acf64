// SPDX-License-Identifier: MIT
// Lines over time, drawn by uPlot on a canvas. The legend below says as text what they are at the
// pointer, or else at the end.
import { html, useEffect, useRef, useState } from "../base/html.js";
import { colour, theme } from "../base/theme.js";
import { useStore } from "../base/store.js";

/**
 * @typedef {{name: string, values: (number | null)[], colour: string,
 *   format: (value: number) => string, binary?: boolean}} Line
 * `colour` is a variable of the sheet, without its dashes; `binary`: ticks stand at powers of two
 */

const kHours = new Intl.DateTimeFormat(undefined,
  { hour: "2-digit", minute: "2-digit", hour12: false });
const kPowers = Array.from({ length: 50 }, (_, power) => 2 ** power);

/** @param {(index: number | null) => void} point is told of the step below the pointer */
function options(lines, width, height, point) {
  const axis = { stroke: colour("quiet"), grid: { stroke: colour("line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui, sans-serif" };
  const { format, binary } = lines[0];
  return {
    width, height, legend: { show: false },
      cursor: { points: { size: 5 }, drag: { x: false, y: false } },
    hooks: { setCursor: [(plot) => point(plot.cursor.idx ?? null)] },
    scales: { y: { range: (_, low, high) =>
      [Math.min(low ?? 0, 0), Math.max(high ?? 1, 1e-9) * 1.08] } },
    axes: [{ ...axis, space: 60, size: 26, values: (_, ticks) =>
      ticks.map((at) => kHours.format(new Date(at * 1000))) },
      { ...axis, size: 64, incrs: binary ? kPowers : undefined, values: (_, ticks) =>
        ticks.map(format) }],
    series: [{}, ...lines.map((line, number) =>
      ({ stroke: colour(line.colour), width: 1.6, points: { show: false },
      fill: number === 0 ? `color-mix(in srgb, ${colour(line.colour)} 14%, transparent)`
        : undefined }))],
  };
}

/**
 * @param {{label: string, at: number[], lines: Line[], height?: number}} props `at`: seconds since
 * 1970
 */
export function Chart({ label, at, lines, height = 140 }) {
  const box = useRef(null);
  const drawn = useRef(null);
  const [plot, setPlot] = useState(null);
  const [pointed, setPointed] = useState(null);
  const shade = useStore(theme);
  const data = [at, ...lines.map((line) => line.values)];
  useEffect(() => {
    let gone = false;
    import("uplot").then((module) => !gone && setPlot(() => module.default), () =>
      {});  // The legend says it, too.
    return () => {
      gone = true;
    };
  }, []);
  useEffect(() => {
    if (!plot) return undefined;
    const width = () => Math.max(box.current?.clientWidth ?? 0, 120);
    drawn.current = new plot(options(lines, width(), height, setPointed), data, box.current);
    const watch = new ResizeObserver(() => drawn.current?.setSize({ width: width(), height }));
    watch.observe(box.current);
    return () => {
      watch.disconnect();
      drawn.current.destroy();
      drawn.current = null;
    };
  }, [plot, shade, lines.map((line) => line.name).join()]);
  useEffect(() => drawn.current?.setData(data), [at]);

  const step = pointed ?? at.length - 1;
  const said = lines.map((line) => [line, line.values[step] ?? null]);
  const words = said.map(([line, value]) =>
    `${line.name} ${value === null ? "unknown" : line.format(value)}`);
  return html`<div class="chart" ref=${box} role="img"
    aria-label=${`${label}: ${words.join(", ")}`}></div>
    <div class="chart-legend" aria-hidden="true"><span>${kHours.format(new Date(at[step] * 1000))}
      </span>
      ${said.map(([line, value]) =>
        html`<span><i style=${{ background: `var(--${line.colour})` }}></i>${line.name}${" "}
        <b>${value === null ? "–" : line.format(value)}</b></span>`)}</div>`;
}
