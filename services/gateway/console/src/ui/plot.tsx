import { useEffect, useRef } from "react";
import UPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** Series is a line or the top of a bar; its colour is a variable of the style sheet. */
export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
}

/** day is how many seconds it has. */
const day = 86_400;

/** whole are the distances of numbers on the axis of what is counted. */
const whole = Array.from({ length: 15 }, (_, i) => [1, 2, 5].map((n) => n * 10 ** i)).flat();

/**
 * written are moments as the axis has them, which are some seconds apart: each for itself, as a date below the first of
 * them runs into the second one.
 */
function written(times: number[], apart: number): string[] {
  const format = new Intl.DateTimeFormat(
    undefined,
    apart >= day
      ? { month: "short", day: "numeric" }
      : { hour: "2-digit", minute: "2-digit", ...(apart < 60 && { second: "2-digit" }), hourCycle: "h23" },
  );
  return times.map((t) => format.format(t * 1000));
}

/**
 * Plot draws series over time (s since 1970); those that are counted have whole numbers. The figures are in a table
 * below it, for who can't see it.
 */
export default function Plot(props: {
  label: string;
  times: number[];
  series: Series[];
  counted?: boolean;
  bars?: boolean;
}) {
  const { label, times, series, counted, bars } = props;
  const parent = useRef<HTMLDivElement>(null);
  const plot = useRef<UPlot>(undefined);
  const names = series.map((s) => s.label).join("\n");
  const data = [times, ...series.map((s) => s.values)] as UPlot.AlignedData;
  const latest = useRef({ data, series });
  latest.current = { data, series };
  useEffect(() => {
    const element = parent.current!;
    const make = () => {
      plot.current?.destroy();
      const style = getComputedStyle(document.documentElement);
      const color = (name: string) => style.getPropertyValue(name).trim();
      const axis = {
        stroke: color("--text"),
        grid: { stroke: color("--line"), width: 1 },
        ticks: { stroke: color("--line"), width: 1 },
      };
      plot.current = new UPlot(
        {
          width: element.clientWidth,
          height: 180,
          legend: { show: false },
          cursor: { show: false },
          axes: [
            { ...axis, size: 30, space: 70, values: (_, times, __, ___, apart) => written(times, apart) },
            { ...axis, size: 60, ...(counted && { incrs: whole }) },
          ],
          scales: { y: { range: (_, __, max) => [0, Math.max(1, max * 1.1)] } },
          series: [
            {},
            ...latest.current.series.map((s) => ({
              label: s.label,
              stroke: color(s.color),
              width: bars ? 0 : 2, // none for the bars of nothing
              ...(bars && {
                fill: color(s.color),
                paths: UPlot.paths.bars!({ size: [0.8, 40] }),
                points: { show: false },
              }),
            })),
          ],
        },
        latest.current.data,
        element,
      );
    };
    make();
    const resized = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height: 180 }));
    resized.observe(element);
    const theme = new MutationObserver(make);
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const scheme = matchMedia("(prefers-color-scheme: dark)");
    scheme.addEventListener("change", make);
    return () => {
      resized.disconnect();
      theme.disconnect();
      scheme.removeEventListener("change", make);
      plot.current?.destroy();
      plot.current = undefined;
    };
  }, [counted, bars, names]);
  useEffect(() => plot.current?.setData(latest.current.data), [times, series]);
  return (
    <figure className="plot">
      <figcaption className="row">
        <strong>{label}</strong>
        {series.map((s) => (
          <span key={s.label} className="row">
            <span className="swatch" data-color={s.color} aria-hidden="true" />
            {s.label}
          </span>
        ))}
      </figcaption>
      <div ref={parent} aria-hidden="true" />
      <details>
        <summary>Figures</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Time</th>
              {series.map((s) => (
                <th key={s.label} scope="col">
                  {s.label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {times.map((t, i) => (
              <tr key={t}>
                <th scope="row">{new Date(t * 1000).toLocaleString()}</th>
                {series.map((s) => (
                  <td key={s.label}>{s.values[i]}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}
