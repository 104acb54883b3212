// Communities, nodes and searches of a graph as text and tables.
import { communityColour, css } from "./colours";
import { h } from "./dom";
import { type GraphModel, cohesion, findNames, isAside, membersOf, nameOfCommunity } from "./graph_model";
import { count, percent, wholeNumber } from "./model";
import { none } from "./data";
import { isDark } from "./theme";

const membersShown = 60;
const neighboursShown = 15;
const found = 200; // by a search

export const linkToCommunity = (model: GraphModel, c: number, text?: string) =>
  h("a", { href: `#${model.data.communities[c]!.id}`, dir: "auto" }, text ?? nameOfCommunity(model.data.communities[c]!));

const linkToNode = (model: GraphModel, node: number) =>
  h("a", { href: `#node-${node}`, dir: "auto" }, model.data.nodes.names[node]!);

const swatch = (c: number) =>
  h("span", { class: "swatch", style: `background: ${css(communityColour(c, isDark()))}`, "aria-hidden": "true" });

const round = (value: number) => (Number.isInteger(value) ? wholeNumber(value) : String(Number(value.toPrecision(3))));

// Rows of a name, a bar and a number.
function barTable(heads: [string, string], rows: { name: Node; value: number; text: string }[]): HTMLElement {
  const most = Math.max(...rows.map((row) => row.value), 1e-300);
  return h(
    "table",
    {},
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, heads[0]), h("th", { scope: "col", colspan: 2 }, heads[1]))),
    h(
      "tbody",
      {},
      ...rows.map(({ name, value, text }) =>
        h(
          "tr",
          {},
          h("th", { scope: "row", dir: "auto" }, name),
          h("td", { class: "bar-cell" }, h("span", { class: "bar", style: `--value: ${value / most}` })),
          h("td", { class: "number" }, text),
        ),
      ),
    ),
  );
}

const section = (title: string, ...content: (Node | string | null | false)[]) => h("section", {}, h("h3", {}, title), ...content);

function members(model: GraphModel, c: number): HTMLElement {
  const all = membersOf(model, c);
  const list = h("ul", { class: "members" });
  const total = model.data.communities[c]!.size;
  const more = h("button", { type: "button" }, "More");
  let shown = 0;
  const add = () => {
    const next = all.slice(shown, shown + membersShown);
    shown += next.length;
    list.append(...next.map((node) => h("li", {}, linkToNode(model, node))));
    more.hidden = shown >= all.length;
  };
  more.addEventListener("click", add);
  add();
  return section(
    "Nodes",
    all.length < total && h("p", { class: "quiet" }, `The ${wholeNumber(all.length)} most central of ${count(total, "node")} are inside the page.`),
    list,
    more,
  );
}

export function communityView(model: GraphModel, c: number): HTMLElement {
  const community = model.data.communities[c]!;
  const first = model.first[c]!;
  const central = community.central.map((value, i) => ({ name: linkToNode(model, first + i), value, text: round(value) }));
  const neighbours = community.neighbours.filter(([other]) => other < model.data.communities.length);
  const facts = [
    count(community.size, "node"),
    `${percent(community.size / Math.max(1, model.data.summary.nodes))} of all`,
    `${percent(cohesion(community))} of its weight stays inside`,
    `conductance ${community.conductance}`,
    community.overlapping ? `${count(community.overlapping, "node")} of other communities belong to it too` : "",
  ];
  return h(
    "article",
    { class: "community" },
    h("h2", { tabindex: -1, dir: "auto" }, swatch(c), `${nameOfCommunity(community)} `, h("span", { class: "id" }, community.id)),
    h("p", { class: "facts" }, facts.filter(Boolean).join(" · ")),
    h(
      "div",
      { class: "columns" },
      central.length > 0 && section("Central nodes", barTable(["Node", "Weight of its edges inside"], central)),
      neighbours.length > 0 &&
        section(
          "Neighbours",
          barTable(
            ["Community", "Weight of the edges between"],
            neighbours.slice(0, neighboursShown).map(([other, value]) => ({ name: linkToCommunity(model, other), value, text: round(value) })),
          ),
          neighbours.length > neighboursShown && h("p", { class: "quiet" }, `and ${wholeNumber(neighbours.length - neighboursShown)} more`),
        ),
      community.features !== undefined &&
        community.features.length > 0 &&
        section(
          "Features",
          barTable(
            ["Feature", "Above the mean of all"],
            community.features.map(([name, value]) => ({ name: document.createTextNode(name), value, text: round(value) })),
          ),
        ),
      community.classes !== undefined &&
        community.classes.length > 0 &&
        section(
          "Classes",
          barTable(
            ["Class", "Nodes"],
            community.classes.slice(0, neighboursShown).map(([label, value]) => ({
              name: document.createTextNode(model.data.classes[label]!),
              value,
              text: wholeNumber(value),
            })),
          ),
        ),
    ),
    members(model, c),
  );
}

// All communities in one table, largest first.
export function communitiesView(model: GraphModel): HTMLElement {
  const { data } = model;
  const { summary } = data;
  const facts: [string, string][] = [
    ["modularity", String(summary.modularity)],
    ["conductance, on average", String(summary.conductance)],
    ["normalized cut", String(summary.normalized_cut)],
    ["weight within communities", percent(summary.coverage)],
  ];
  const withClasses = data.communities.some((c) => c.classes !== undefined && c.classes.length > 0);
  return h(
    "article",
    { class: "communities" },
    h("h2", { tabindex: -1 }, "Communities"),
    h("dl", {}, ...facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    h(
      "div",
      { class: "wide" },
      h(
        "table",
        {},
        h(
          "thead",
          {},
          h(
            "tr",
            {},
            h("th", { scope: "col" }, "Community"),
            h("th", { scope: "col", class: "number" }, "Nodes"),
            h("th", { scope: "col", class: "number", title: "Share of the weight of its edges that stays inside" }, "Inside"),
            h("th", { scope: "col", class: "number" }, "Conductance"),
            withClasses && h("th", { scope: "col" }, "Main class"),
            h("th", { scope: "col" }, "Nearest"),
          ),
        ),
        h(
          "tbody",
          {},
          ...model.bySize.map((c) => {
            const community = data.communities[c]!;
            const main = community.classes?.[0];
            const nearest = community.neighbours.find(([other]) => other < data.communities.length);
            return h(
              "tr",
              {},
              h("th", { scope: "row" }, swatch(c), linkToCommunity(model, c), " ", h("span", { class: "id" }, community.id)),
              h("td", { class: "number" }, wholeNumber(community.size)),
              h("td", { class: "number" }, percent(cohesion(community))),
              h("td", { class: "number" }, String(community.conductance)),
              withClasses && h("td", { dir: "auto" }, main ? `${data.classes[main[0]]!} ${percent(main[1] / community.size)}` : ""),
              h("td", {}, nearest ? linkToCommunity(model, nearest[0]) : ""),
            );
          }),
        ),
      ),
    ),
    summary.pieces > 0 &&
      h(
        "p",
        { class: "quiet" },
        `${count(summary.pieces, "small piece")} with ${count(summary.nodes_set_aside, "node")} took no part; each is a cluster of its own.`,
      ),
  );
}

export function nodeView(model: GraphModel, node: number): HTMLElement {
  const name = model.data.nodes.names[node]!;
  const own = model.community[node]!;
  const second = model.second[node]!;
  const memberships = [
    ...(own === none ? [] : [{ c: own, share: model.weight[node]! }]),
    ...(second === none || model.secondWeight[node]! < 0.01 ? [] : [{ c: second, share: model.secondWeight[node]! }]),
  ];
  const label = model.label?.[node];
  const neighbours = model.neighbours?.[node] ?? [];
  return h(
    "article",
    {},
    h("h2", { tabindex: -1, dir: "auto" }, name),
    h(
      "p",
      { class: "facts" },
      isAside(model, node) ? "It lies in a piece of the graph that took no part, and that is a cluster of its own." : "",
      label !== undefined && label !== none ? `class ${model.data.classes[label]!}` : "",
    ),
    memberships.length > 0 &&
      section(
        "Communities",
        barTable(
          ["Community", "Membership"],
          memberships.map(({ c, share }) => ({ name: linkToCommunity(model, c), value: share, text: percent(share) })),
        ),
      ),
    neighbours.length > 0 &&
      section(
        `Neighbours`,
        h("ul", { class: "members" }, ...neighbours.slice(0, 2 * membersShown).map((other) => h("li", {}, linkToNode(model, other)))),
        neighbours.length > 2 * membersShown && h("p", { class: "quiet" }, `and ${wholeNumber(neighbours.length - 2 * membersShown)} more`),
      ),
  );
}

export function graphSearchView(model: GraphModel, query: string): HTMLElement {
  const { communities, nodes } = findNames(model, query, found);
  const list = (items: Node[]) => h("ul", { class: "members" }, ...items.map((item) => h("li", {}, item)));
  return h(
    "article",
    {},
    h("h2", { tabindex: -1 }, `“${query}”`),
    communities.length + nodes.length === 0 && h("p", {}, "No community and no node on this page is called so."),
    communities.length > 0 && section("Communities", list(communities.map((c) => linkToCommunity(model, c)))),
    nodes.length > 0 && section(nodes.length === found ? `The first ${found} nodes` : "Nodes", list(nodes.map((node) => linkToNode(model, node)))),
  );
}

// What stands on paper.
export function printedGraph(model: GraphModel): HTMLElement {
  return h("div", { class: "printed" }, communitiesView(model), ...model.bySize.map((c) => communityView(model, c)));
}
