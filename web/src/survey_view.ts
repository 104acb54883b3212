// How many clusters: the verdict, what each measure says, and the pictures behind it.
import { scaleLinear, scalePoint } from "d3-scale";
import { area, line } from "d3-shape";
import { communityColour, css, type Palette } from "./colours";
import { none } from "./data";
import { h, svg } from "./dom";
import { type Model, type Topic, nameOf, percent } from "./model";
import { capital } from "./nouns";
import { alluvial, cosineText, curveOf, heat, shareOf, type Curve, type SurveyData, type SurveyRow } from "./survey";
import { isDark } from "./theme";

const [width, height, left, right, top, bottom] = [560, 300, 64, 52, 14, 44];

function figure(title: string, said: string, ...picture: (Element | null | false)[]): HTMLElement {
  return h("figure", { class: "survey" }, h("h3", {}, title), ...picture, h("figcaption", {}, said));
}

function legend(curves: Curve[]): HTMLElement {
  return h("ul", { class: "legend" }, ...curves.map((curve) => h("li", { class: curve.kind }, curve.name)));
}

type Axis = { curves: Curve[]; title: string; side: "left" | "right"; fromZero: boolean };

// Curves over k with bands of one standard deviation, on one axis or two; the chosen k is a line.
function curves(data: SurveyData, axes: Axis[], label: string, below: (k: number) => string): SVGSVGElement {
  const ks = data.rows.map((row) => row.k);
  const x = scalePoint<number>(ks, [left, width - right]).padding(0.3);
  const chart = svg("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "chart survey-chart" });
  if (ks.includes(data.k)) chart.append(svg("line", { x1: x(data.k)!, x2: x(data.k)!, y1: top, y2: height - bottom, class: "chosen" }));
  for (const { curves, title, side, fromZero } of axes) {
    const values = curves.flatMap((curve) => curve.points.flatMap(({ value, deviation }) => [value - deviation, value + deviation]));
    if (!values.length) continue;
    const domain = fromZero ? [Math.min(0, ...values), Math.max(1, ...values)] : [Math.min(...values), Math.max(...values)];
    const y = scaleLinear(domain, [height - bottom, top]).nice();
    for (const tick of y.ticks(5)) {
      if (side === "left") chart.append(svg("line", { x1: left, x2: width - right, y1: y(tick), y2: y(tick), class: "grid" }));
      const place = side === "left" ? { x: left - 8, "text-anchor": "end" } : { x: width - right + 8, "text-anchor": "start" };
      chart.append(svg("text", { ...place, y: y(tick) + 4 }, y.tickFormat(5)(tick)));
    }
    const middle = (top + height - bottom) / 2;
    const at = side === "left" ? 11 : width - 6;
    chart.append(svg("text", { x: at, y: middle, "text-anchor": "middle", transform: `rotate(-90 ${at} ${middle})`, class: "axis" }, title));
    for (const { points, kind } of curves) {
      type Point = Curve["points"][number];
      const band = area<Point>((p) => x(p.k)!, (p) => y(p.value - p.deviation), (p) => y(p.value + p.deviation));
      const path = line<Point>((p) => x(p.k)!, (p) => y(p.value));
      chart.append(
        svg("path", { d: band(points) ?? "", class: `band ${kind}` }),
        svg("path", { d: path(points) ?? "", class: `curve ${kind}` }),
        ...points.map((p) => svg("circle", { cx: x(p.k)!, cy: y(p.value), r: 3.5, class: kind }, svg("title", {}, `k = ${p.k}: ${p.value.toPrecision(3)}`))),
      );
    }
  }
  const step = Math.max(1, Math.ceil(ks.length / 16));
  for (const [i, k] of ks.entries()) {
    if (i % step && k !== data.k) continue;
    chart.append(svg("text", { x: x(k)!, y: height - bottom + 18, "text-anchor": "middle", class: k === data.k ? "strong" : "" }, String(k)));
    chart.append(svg("text", { x: x(k)!, y: height - bottom + 34, "text-anchor": "middle", class: "small" }, below(k)));
  }
  return chart;
}

type Measured = { own: keyof SurveyRow; box: keyof SurveyRow; shuffled: keyof SurveyRow; p: keyof SurveyRow; name: string };

// A measure of halves beside the same of data without clusters, with p-values.
function halvesFigure(data: SurveyData, measured: Measured, title: string, said: string): HTMLElement | null {
  const drawn = [
    curveOf(data, measured.own, "the data", "own"),
    curveOf(data, measured.box, "without clusters: box of the principal components, or shuffled", "null"),
    curveOf(data, measured.shuffled, "without clusters: features shuffled", "shuffled"),
  ].filter((curve) => curve.points.length);
  if (!drawn.some((curve) => curve.kind === "own")) return null;
  const p = (k: number) => {
    const value = data.rows.find((row) => row.k === k)?.[measured.p];
    return typeof value !== "number" ? "" : value < 0.01 ? "p < .01" : `p ${value.toFixed(2).replace(/^0/, "")}`;
  };
  return figure(
    title,
    `${said} Bands are one standard deviation over the halves; p is the share of values without clusters that reach the data.`,
    curves(data, [{ curves: drawn, title: measured.name, side: "left", fromZero: true }], `${capital(measured.name)} over k; the verdict is ${data.k}`, p),
    legend(drawn),
  );
}

function recurrenceFigure(data: SurveyData): HTMLElement | null {
  return halvesFigure(
    data,
    { own: "recurrence", box: "null_recurrence", shuffled: "shuffled_recurrence", p: "recurrence_p_value", name: "recurrence" },
    "Do clusters come back?",
    "Recurrence: how far the clusters of one half of the items keep the clusters of the other together, beyond what clusters of these sizes do by chance; the worse half of the clusters counts.",
  );
}

function strengthFigure(data: SurveyData): HTMLElement | null {
  return halvesFigure(
    data,
    { own: "prediction_strength", box: "null_strength", shuffled: "shuffled_strength", p: "p_value", name: "prediction strength" },
    "Do clusters foretell new items?",
    "Prediction strength: of the pairs in the worst cluster of one half of the items, the share that the clusters of the other half keep together.",
  );
}

function errorFigure(data: SurveyData): HTMLElement | null {
  const hidden = curveOf(data, "hidden_error", "error of hidden entries", "error");
  const error = hidden.points.length ? hidden : curveOf(data, "relative_error", "error", "error");
  const stability = [
    curveOf(data, "resampled_dispersion", "consensus of samples: dispersion", "stable"),
    curveOf(data, "silhouette", "worst component: silhouette", "silhouette"),
    curveOf(data, "perturbed_silhouette", "worst component of perturbed data: silhouette", "perturbed"),
  ].filter((curve) => curve.points.length);
  if (!error.points.length && !stability.length) return null;
  return figure(
    "Error and stability",
    "The error of hidden entries (left) tells how many components the data needs; stability (right) tells which clusters come back in samples of the items.",
    curves(
      data,
      [
        { curves: [error], title: error.name, side: "left", fromZero: false },
        { curves: stability, title: "stability", side: "right", fromZero: true },
      ],
      "Error and stability over k",
      () => "",
    ),
    legend([error, ...stability]),
  );
}

function consensusFigure(data: SurveyData): HTMLElement | null {
  const { consensus } = data;
  if (!consensus) return null;
  const n = consensus.items.length;
  const canvas = h("canvas", { width: n, height: n, role: "img", class: "consensus", "aria-label": `Consensus of ${n} items, k = ${consensus.k}` });
  const context = canvas.getContext("2d")!;
  const image = context.createImageData(n, n);
  for (const [i, text] of consensus.lines.entries()) {
    for (let j = 0; j < n; ++j) {
      image.data.set([...heat(shareOf(text[j]!)), 255], 4 * (i * n + j));
    }
  }
  context.putImageData(image, 0, 0);
  const strip = h(
    "div",
    { class: "consensus-strip", "aria-hidden": true },
    ...runs(consensus.clusters).map(([cluster, length]) => h("span", { style: `flex: ${length}; background: ${css(communityColour(cluster, isDark()))}` })),
  );
  return figure(
    `How often two items come together, k = ${consensus.k}`,
    `${n} items in the order of their dendrogram. Dark: together in every sample that holds both; light: never. Clear blocks on the diagonal are clusters that come back.`,
    h("div", { class: "consensus-frame" }, strip, canvas),
  );
}

// 1 1 2 2 2 -> [1, 2], [2, 3].
function runs(list: number[]): [number, number][] {
  const found: [number, number][] = [];
  for (const value of list) {
    const last = found[found.length - 1];
    if (last && last[0] === value) ++last[1];
    else found.push([value, 1]);
  }
  return found;
}

function flowFigure(data: SurveyData): HTMLElement | null {
  const { bars, ribbons } = alluvial(data.flows);
  if (bars.length < 2) return null;
  const step = Math.max(64, Math.min(130, 720 / (bars.length - 1)));
  const [barWidth, picture, tall] = [10, step * (bars.length - 1) + 40, 320];
  const x = (column: number) => 14 + column * step;
  const y = (share: number) => 8 + share * (tall - 40);
  const chart = svg("svg", { viewBox: `0 0 ${picture} ${tall}`, role: "img", "aria-label": "How clusters split and merge from each k to the next", class: "chart survey-chart flows", style: `min-width: ${Math.min(picture, 900)}px; max-width: ${1.2 * picture}px` });
  for (const ribbon of ribbons) {
    const [x1, x2] = [x(ribbon.from.column) + barWidth, x(ribbon.to.column)];
    const middle = (x1 + x2) / 2;
    const d =
      `M${x1},${y(ribbon.fromTop)}C${middle},${y(ribbon.fromTop)} ${middle},${y(ribbon.toTop)} ${x2},${y(ribbon.toTop)}` +
      `L${x2},${y(ribbon.toBottom)}C${middle},${y(ribbon.toBottom)} ${middle},${y(ribbon.fromBottom)} ${x1},${y(ribbon.fromBottom)}Z`;
    const said = `${ribbon.size} items: k = ${ribbon.from.k} to k = ${ribbon.to.k}`;
    chart.append(svg("path", { d, class: "ribbon", fill: css(communityColour(ribbon.from.cluster, isDark()), 0.35) }, svg("title", {}, said)));
  }
  for (const bar of bars.flat()) {
    const colour = css(communityColour(bar.cluster, isDark()));
    chart.append(
      svg("rect", { x: x(bar.column), y: y(bar.top), width: barWidth, height: Math.max(1, y(bar.bottom) - y(bar.top)), fill: colour }, svg("title", {}, `k = ${bar.k}: ${bar.size} items`)),
    );
  }
  for (const [column, list] of bars.entries()) {
    const k = list.length;
    chart.append(svg("text", { x: x(column) + barWidth / 2, y: tall - 8, "text-anchor": "middle", class: k === data.k ? "strong" : "" }, String(k)));
  }
  return figure("How clusters split and merge", "Each column has the clusters of one k; ribbons are the items that go from one to the next. Clusters that persist are bands that do not part.", h("div", { class: "wide" }, chart));
}

// A strip for each topic of the result, from light to dark by how well it is found again at every k.
function persistenceFigure(data: SurveyData, nameOfId: (id: string) => string): HTMLElement | null {
  const found = data.persistence;
  if (!found || found.ks.length < 2) return null;
  const cell = (value: number | null, k: number, name: string) =>
    h(
      "td",
      { class: value === null ? "unknown" : value > 0.88 ? "dark" : "", style: value === null ? null : `background: rgb(${heat(value).map(Math.round).join(" ")})`, title: `${name}, k = ${k}: ${cosineText(value)}` },
      h("span", {}, cosineText(value)),
    );
  const row = (id: string, values: (number | null)[]) => {
    const name = nameOfId(id);
    return h("tr", {}, h("th", { scope: "row" }, h("a", { href: `#${encodeURIComponent(id)}` }, name)), ...values.map((value, i) => cell(value, found.ks[i]!, name)));
  };
  return figure(
    "Which clusters persist",
    "How well each cluster of the result is found again with other numbers of clusters: the cosine with the component nearest to it, the mean over samples of the items. Dark: found again; light: not there. At the chosen k it is the stability of the cluster.",
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        { class: "persistence" },
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "k"), ...found.ks.map((k) => h("th", { scope: "col", class: k === data.k ? "strong" : "" }, String(k))))),
        h("tbody", {}, ...found.topics.map((id, c) => row(id, found.values[c] ?? []))),
      ),
    ),
  );
}

// Items by their shares of two clusters [Kuang 2014, figure 14]: those on an axis belong to one cluster alone.
export function scatterFigure(model: Model, palette: Palette): HTMLElement | null {
  const leaves = model.root.leaves;
  if (leaves.length < 2) return null;
  const size = 320;
  const canvas = h("canvas", { width: 2 * size, height: 2 * size, class: "scatter", role: "img", "aria-label": "Items by their shares of two clusters" });
  const choice = (first: number) =>
    h("select", { change: () => draw() }, ...leaves.map((leaf, i) => h("option", { value: i, selected: i === first }, nameOf(model, leaf))));
  const [across, up] = [choice(0), choice(1)];
  const share = (d: number, topic: Topic) =>
    model.leaf[d] === topic.index ? model.weight[d]! / 255 : model.second[d] === topic.index ? model.secondWeight[d]! / 255 : 0;
  const draw = () => {
    const context = canvas.getContext("2d")!;
    context.clearRect(0, 0, canvas.width, canvas.height);
    const [a, b] = [leaves[Number(across.value)]!, leaves[Number(up.value)]!];
    const place = (value: number) => 24 + value * (2 * size - 48);
    context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue("--line");
    context.lineWidth = 2;
    context.strokeRect(place(0), 2 * size - place(1), place(1) - place(0), place(1) - place(0));
    for (let d = 0; d < model.leaf.length; ++d) {
      if (model.leaf[d] === none) continue;
      const [x, y] = [share(d, a), share(d, b)];
      if (x === 0 && y === 0) continue;
      context.fillStyle = css(palette.of(model.topics[model.leaf[d]!]!, isDark()), 0.7);
      context.beginPath();
      context.arc(place(x), 2 * size - place(y), 6, 0, 7);
      context.fill();
    }
  };
  draw();
  return figure(
    "Items between two clusters",
    "The share of an item's weight in one cluster (across) and in another (up), of its two largest. Items near an axis belong to one cluster; items in between to both.",
    h("p", { class: "scatter-choice" }, h("label", {}, "across ", across), " ", h("label", {}, "up ", up)),
    canvas,
  );
}

function choicesTable(data: SurveyData): HTMLElement {
  const row = (choice: SurveyData["choices"][number]) =>
    h("tr", {}, h("th", { scope: "row" }, choice.measure), h("td", {}, String(choice.k)), h("td", {}, choice.answers));
  return h(
    "table",
    { class: "choices" },
    h("caption", {}, "What each measure says by its own rule"),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "measure"), h("th", { scope: "col" }, "k"), h("th", { scope: "col" }, "counts"))),
    h("tbody", {}, ...data.choices.map(row)),
  );
}

// `more` stands before the flows: a picture of the items, where the page has one. `nameOfId` is what a topic is called.
export function surveyView(data: SurveyData, more: HTMLElement | null = null, nameOfId = (id: string) => id): HTMLElement {
  return h(
    "article",
    { class: "survey-view" },
    h("h2", { tabindex: -1 }, data.question === "components" ? "How many components" : "How many clusters"),
    h("p", { class: "verdict" }, data.sentence),
    h("p", { class: "quiet" }, `${data.runs.done} of ${data.runs.planned} runs; the verdict is ${percent(data.sure)} sure.`),
    h("div", { class: "figures" }, ...[recurrenceFigure(data), strengthFigure(data), errorFigure(data), consensusFigure(data), more, persistenceFigure(data, nameOfId), flowFigure(data)].filter((f) => f !== null)),
    choicesTable(data),
  );
}
