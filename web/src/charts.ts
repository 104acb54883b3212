// Topics over time, as areas.
import { scaleLinear } from "d3-scale";
import { area, curveMonotoneX, line } from "d3-shape";
import { svg } from "./dom";
import { type Model, type Topic, percent, wholeNumber } from "./model";

// Of all placed documents of each period, the share that is the topic's.
export function sharesOverTime(model: Model, topic: Topic): number[] {
  const all = model.root.data.times!;
  return topic.data.times!.map((n, t) => (all[t] ? n / all[t]! : 0));
}

export function describe(model: Model, values: number[], isShare: boolean): string {
  const best = values.indexOf(Math.max(...values));
  const value = values[best] ?? 0;
  return `most in ${model.data.times[best] ?? "no period"}: ${isShare ? percent(value) : wholeNumber(value)}`;
}

export function areaChart(
  model: Model,
  values: number[],
  options: { width: number; height: number; label: string; isShare: boolean; axes: boolean },
): SVGSVGElement {
  const { width, height, axes, isShare } = options;
  const [left, bottom, top] = axes ? [44, 22, 8] : [0, 1, 2];
  const x = scaleLinear([0, Math.max(1, values.length - 1)], [left, width - (axes ? 12 : 0)]);
  const y = scaleLinear([0, Math.max(...values, 1e-9)], [height - bottom, top]);
  const shape = area<number>((_, i) => x(i), y(0), (v) => y(v)).curve(curveMonotoneX);
  const edge = line<number>((_, i) => x(i), (v) => y(v)).curve(curveMonotoneX);
  const points = values.length === 1 ? [values[0]!, values[0]!] : values; // one period is a level line
  const chart = svg(
    "svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": options.label, class: axes ? "chart" : "chart small" },
    svg("path", { d: shape(points) ?? "", class: "area" }),
    svg("path", { d: edge(points) ?? "", class: "edge" }),
  );
  if (!axes) return chart;
  for (const tick of y.ticks(3)) {
    chart.append(
      svg("line", { x1: left, x2: width - 12, y1: y(tick), y2: y(tick), class: "grid" }),
      svg("text", { x: left - 8, y: y(tick) + 4, "text-anchor": "end" }, isShare ? percent(tick) : wholeNumber(tick)),
    );
  }
  const periods = model.data.times;
  const step = Math.max(1, Math.ceil(periods.length / 7));
  for (let t = 0; t < periods.length; t += step) {
    const anchor = t === 0 ? "start" : x(t) > width - 40 ? "end" : "middle";
    chart.append(svg("text", { x: x(t), y: height - 5, "text-anchor": anchor }, periods[t]!));
  }
  return chart;
}
