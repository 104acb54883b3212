// The page of a comparison: a table of all methods, bars, who agrees with whom, and where two of them disagree.
import {
  type Cell,
  type Column,
  type ComparePageData,
  type Crossing,
  type MethodData,
  bestOf,
  columnsOf,
  crossingOf,
  mostDifferent,
  nameOf,
} from "./compare_data";
import "./compare.css";
import { h } from "./dom";
import { footOf } from "./foot";
import { pageHead } from "./frame";
import { count, percent } from "./model";
import { startTheme } from "./theme";

const shownItems = 12;
const shownCells = 8;

export class CompareReport {
  private readonly several: boolean;
  private readonly columns: Column[];
  private readonly pair = h("section", { class: "pair" });
  private readonly bars = h("div", { class: "bars" });

  constructor(private readonly data: ComparePageData) {
    const ks = new Set(data.methods.filter((m) => !m.given).map((m) => m.k));
    this.several = ks.size > 1;
    this.columns = columnsOf(data.methods);
    startTheme(() => undefined);
    document.title = `${data.title} – Copse`;
    document.body.replaceChildren(
      this.header(),
      h("main", { id: "panel", class: "comparison" }, this.table(), this.barChart(), this.heatMap(), this.pair),
      footOf(data, data.titles.length < data.items ? [`${count(data.titles.length, "item")} of ${data.items} are inside, an even sample; the table counts all.`] : []),
    );
    const pair = mostDifferent(data);
    if (pair) this.showPair(...pair);
  }

  private name(method: MethodData): string {
    return nameOf(method, this.several);
  }

  private header(): HTMLElement {
    const { data } = this;
    const ended = data.methods.filter((m) => !m.failure);
    const runs = Math.max(0, ...ended.map((m) => m.runs ?? 0));
    return pageHead(data, [count(data.items, "item"), count(ended.length, "method"), runs > 1 ? `${runs} runs of each` : ""], () => undefined);
  }

  private table(): HTMLElement {
    const { methods } = this.data;
    const head = h(
      "tr",
      {},
      h("th", { scope: "col" }, "Method"),
      h("th", { scope: "col", class: "number" }, "Clusters"),
      ...this.columns.map((column) => h("th", { scope: "col", class: "number", title: column.title }, column.name)),
    );
    const rows = methods.map((method) => {
      const name = h("th", { scope: "row" }, this.name(method), method.given ? h("span", { class: "quiet" }, " given") : false);
      if (method.failure) return h("tr", { class: "failed" }, name, h("td", { colspan: this.columns.length + 1 }, method.failure));
      return h(
        "tr",
        {},
        name,
        h("td", { class: "number" }, String(method.clusters ?? "")),
        ...this.columns.map((column) => {
          const value = column.value(method);
          const best = value !== undefined && value === bestOf(column, methods);
          return h("td", { class: best ? "number best" : "number" }, value === undefined ? "" : column.text(value));
        }),
      );
    });
    return h(
      "section",
      {},
      h("h2", {}, "All methods"),
      h(
        "p",
        { class: "quiet" },
        "Same preparation, same number of runs; of its runs the one with the best objective counts, never the one that fits the classes best. The best of each column is bold.",
      ),
      h("div", { class: "wide" }, h("table", {}, h("thead", {}, head), h("tbody", {}, ...rows))),
    );
  }

  private barChart(): HTMLElement {
    const choice = h("select", { "aria-label": "What the bars show" });
    for (const column of this.columns) choice.append(h("option", { value: column.name }, column.name));
    choice.addEventListener("change", () => this.showBars(choice.value));
    this.showBars(this.columns[0]?.name ?? "");
    return h("section", {}, h("h2", {}, "Side by side"), h("p", {}, choice), this.bars);
  }

  private showBars(name: string) {
    const column = this.columns.find((one) => one.name === name);
    if (!column) return this.bars.replaceChildren();
    const known = this.data.methods.flatMap((method) => {
      const value = column.value(method);
      return value === undefined ? [] : [{ method, value }];
    });
    known.sort((x, y) => (column.best === "smallest" ? x.value - y.value : y.value - x.value));
    const values = known.map(({ value }) => value);
    const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
    const share = (value: number) => (high > low ? (value - low) / (high - low) : 0);
    this.bars.replaceChildren(
      h("p", { class: "quiet" }, `${column.title}.`),
      ...known.map(({ method, value }) => {
        const [from, to] = [share(Math.min(0, value)), share(Math.max(0, value))];
        return h(
          "div",
          { class: "bar-row" },
          h("span", { class: "bar-name" }, this.name(method)),
          h("span", { class: "bar-track" }, h("span", { class: "bar-fill", style: `margin-left: ${100 * from}%; width: ${100 * (to - from)}%` })),
          h("span", { class: "number" }, column.text(value)),
        );
      }),
    );
  }

  private heatMap(): HTMLElement {
    const { methods, agreement } = this.data;
    const inside = methods.map((m, i) => ({ m, i })).filter(({ m }) => m.labels !== undefined);
    const rows = inside.map(({ m, i }) =>
      h(
        "tr",
        {},
        h("th", { scope: "row" }, this.name(m)),
        ...inside.map(({ m: other, i: j }) => {
          const value = agreement[i]?.[j] ?? null;
          if (value === null || i === j) return h("td", { class: "same" });
          // Dark text on pale cells; the scale is the same for every page.
          return h(
            "td",
            { style: `--share: ${(100 * Math.max(0, value)).toFixed(0)}%`, class: value > 0.6 ? "heat strong" : "heat" },
            h(
              "button",
              {
                type: "button",
                title: `${this.name(m)} and ${this.name(other)}: NMI ${value.toFixed(3)}`,
                click: () => {
                  this.showPair(Math.min(i, j), Math.max(i, j));
                  this.pair.scrollIntoView({ block: "start" });
                },
              },
              value.toFixed(2),
            ),
          );
        }),
      ),
    );
    return h(
      "section",
      {},
      h("h2", {}, "Who sees the same groups"),
      h("p", { class: "quiet" }, "NMI of every pair: 1 for the same groups, 0 for nothing in common. Choose a cell to see where the two disagree."),
      h(
        "div",
        { class: "wide" },
        h(
          "table",
          { class: "heat-map" },
          h("thead", {}, h("tr", {}, h("td", {}), ...inside.map(({ m }) => h("th", { scope: "col" }, h("span", {}, this.name(m)))))),
          h("tbody", {}, ...rows),
        ),
      ),
    );
  }

  private words(method: MethodData, cluster: number): string {
    if (cluster < 0) return "no cluster";
    return method.words?.[cluster]?.slice(0, 4).join(", ") || `cluster ${cluster}`;
  }

  private showPair(i: number, j: number) {
    const [first, second] = [this.data.methods[i]!, this.data.methods[j]!];
    const crossing = crossingOf(first, second);
    const total = this.data.titles.length;
    const apart = crossing.apart.reduce((sum, cell) => sum + cell.items.length, 0);
    this.pair.replaceChildren(
      h("h2", {}, `${this.name(first)} and ${this.name(second)}`),
      h(
        "p",
        {},
        `Clusters are matched one to one, the largest overlap first. ${percent(total ? 1 - apart / total : 1)} of the items lie in matched clusters; ${count(apart, "item")} do not.`,
      ),
      this.grid(first, second, crossing),
      h("h3", {}, "Where they disagree"),
      ...crossing.apart.slice(0, shownCells).map((cell) => this.cell(first, second, cell)),
    );
  }

  private grid(first: MethodData, second: MethodData, crossing: Crossing): HTMLElement {
    const most = Math.max(1, ...[...crossing.cells.values()].map((cell) => cell.items.length));
    return h(
      "div",
      { class: "wide" },
      h(
        "table",
        { class: "crossing" },
        h("caption", {}, `Rows: clusters of ${this.name(first)}; columns: those of ${this.name(second)}. The larger a square, the more items both have.`),
        h(
          "tbody",
          {},
          ...crossing.rows.map((a) =>
            h(
              "tr",
              {},
              h("th", { scope: "row", dir: "auto" }, this.words(first, a)),
              ...crossing.columns.map((b) => {
                const cell = crossing.cells.get(`${a} ${b}`);
                const side = cell ? Math.sqrt(cell.items.length / most) : 0;
                const told = `${this.words(first, a)} | ${this.words(second, b)}: ${count(cell?.items.length ?? 0, "item")}`;
                return h("td", { title: told }, cell ? h("span", { class: "square", style: `--side: ${side.toFixed(3)}` }) : false);
              }),
            ),
          ),
        ),
      ),
    );
  }

  private cell(first: MethodData, second: MethodData, cell: Cell): HTMLElement {
    const more = cell.items.length - shownItems;
    return h(
      "details",
      {},
      h("summary", {}, h("b", {}, count(cell.items.length, "item")), ` · ${this.name(first)}: ${this.words(first, cell.a)} · ${this.name(second)}: ${this.words(second, cell.b)}`),
      h(
        "ul",
        {},
        ...cell.items.slice(0, shownItems).map((item) => h("li", { dir: "auto" }, this.data.titles[item] ?? "")),
        more > 0 && h("li", { class: "quiet" }, `and ${count(more, "item")} more`),
      ),
    );
  }
}
