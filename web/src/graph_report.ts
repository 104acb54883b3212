// The page of a graph: the frame, the list of communities, and the view that the address names.
import { h } from "./dom";
import { footOf } from "./foot";
import { GraphDrawing } from "./graph_drawing";
import { MatrixPicture } from "./graph_matrix";
import { type GraphModel, nameOfCommunity } from "./graph_model";
import { communitiesView, communityView, graphSearchView, nodeView, printedGraph } from "./graph_views";
import { communityColour, css } from "./colours";
import { count, wholeNumber } from "./model";
import { isDark, startTheme, switchTheme } from "./theme";

export class GraphReport {
  private readonly panel = h("main", { id: "panel" });
  private readonly list = h("ul", { class: "communities-list" });
  private readonly links = new Map<string, HTMLAnchorElement>();
  private readonly input = h("input", {
    type: "search",
    placeholder: "Search nodes",
    "aria-label": "Search nodes and communities",
    autocomplete: "off",
    spellcheck: "false",
  });
  private drawing: GraphDrawing | null = null;
  private matrix: MatrixPicture | null = null;
  private last = -1; // the community that was looked at last
  private timer = 0;

  constructor(private readonly model: GraphModel) {
    const { data } = model;
    const recolour = () => this.recolour();
    startTheme(recolour);
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.lookUp(), 120);
    });
    document.body.replaceChildren(
      h("a", { class: "skip", href: "#panel", click: (e: Event) => this.skip(e) }, "Skip to the community"),
      this.header(recolour),
      h("div", { class: "body" }, h("aside", {}, h("nav", { "aria-label": "Communities", class: "tree" }, this.list)), this.panel),
      footOf(data, this.cuts()),
    );
    document.title = `${data.title || "Graph"} – Copse`;
    this.fillList();
    addEventListener("hashchange", () => this.show(true));
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || (event.target as Element).matches("input, textarea")) return;
      event.preventDefault();
      this.input.focus();
    });
    const prepare = () => document.querySelector(".printed") ?? this.panel.after(printedGraph(model));
    const print = matchMedia("print");
    print.addEventListener("change", () => print.matches && prepare());
    addEventListener("beforeprint", prepare);
    addEventListener("afterprint", () => document.querySelector(".printed")?.remove());
    this.show();
  }

  private cuts(): string[] {
    const { nodes, edges } = this.model.data;
    return [
      nodes.inside < nodes.total ? `${wholeNumber(nodes.inside)} of ${count(nodes.total, "node")} have their names inside, the most central of each community.` : "",
      edges === null ? "The graph is too large to draw node by node." : "",
      edges !== null && edges.inside < edges.total ? `The heaviest ${wholeNumber(edges.inside)} of ${count(edges.total, "edge")} are inside.` : "",
    ].filter(Boolean);
  }

  private header(recolour: () => void): HTMLElement {
    const { data } = this.model;
    const { summary } = data;
    const link = (place: string, name: string) => {
      const a = h("a", { href: `#${place}` }, name);
      this.links.set(place, a);
      return h("li", {}, a);
    };
    const facts = [
      count(summary.nodes, "node"),
      count(summary.edges, "edge"),
      count(data.communities.length, "community", "communities"),
      `modularity ${summary.modularity}`,
    ];
    return h(
      "header",
      {},
      h("h1", { dir: "auto" }, data.title || "Graph"),
      h("p", { class: "summary" }, facts.join(" · ")),
      ...data.notes.map((note) => h("p", { class: "note", dir: "auto" }, note)),
      h(
        "div",
        { class: "bar-top" },
        h("nav", { "aria-label": "Views", class: "views" }, h("ul", {}, link("", "Graph"), link("communities", "Communities"), link("matrix", "Matrix"))),
        h("div", { role: "search" }, this.input),
        h("button", {
          type: "button",
          class: "theme",
          "aria-label": "Switch between light and dark",
          title: "Light or dark",
          click: () => switchTheme(recolour),
        }),
      ),
    );
  }

  private fillList() {
    const { communities, summary } = this.model.data;
    this.list.replaceChildren(
      ...this.model.bySize.map((c) => {
        const community = communities[c]!;
        return h(
          "li",
          { "data-id": community.id },
          h(
            "a",
            { class: "row", href: `#${community.id}` },
            h("span", { class: "swatch", style: `background: ${css(communityColour(c, isDark()))}`, "aria-hidden": "true" }),
            h("span", { class: "name", dir: "auto" }, nameOfCommunity(community)),
            h("span", { class: "size" }, wholeNumber(community.size)),
            h("span", { class: "share", style: `--share: ${community.size / Math.max(1, summary.nodes)}` }),
          ),
        );
      }),
    );
  }

  private recolour() {
    this.fillList();
    this.drawing?.recolour();
    this.matrix?.recolour();
    if (this.panel.firstChild) this.show();
  }

  private place(): string {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  }

  private skip(event: Event) {
    event.preventDefault();
    this.panel.querySelector<HTMLElement>("h2")?.focus();
  }

  private lookUp() {
    const query = this.input.value.trim();
    if (query) history.replaceState(null, "", `#search=${encodeURIComponent(query)}`);
    else if (this.place().startsWith("search=")) history.replaceState(null, "", "#");
    this.show();
  }

  // What the address names. An address that names nothing shows the drawing.
  private show(moved = false) {
    const place = this.place();
    const { model } = this;
    const community = model.data.communities.findIndex(({ id }) => id === place);
    const node = /^node-(\d+)$/.exec(place);
    let tab = place;
    let selected = -1;
    let view: HTMLElement;
    if (place === "communities") view = communitiesView(model);
    else if (place === "matrix") view = (this.matrix ??= new MatrixPicture(model)).element;
    else if (place.startsWith("search=")) {
      const query = place.slice("search=".length);
      if (document.activeElement !== this.input) this.input.value = query;
      view = graphSearchView(model, query);
    } else if (node && Number(node[1]) < model.data.nodes.inside) {
      view = nodeView(model, Number(node[1]));
      selected = model.community[Number(node[1])]!;
    } else if (community >= 0) {
      [view, selected] = [communityView(model, community), community];
      this.last = community;
    } else {
      [view, tab] = [this.showDrawing(), ""];
    }
    document.body.dataset["view"] = selected >= 0 ? "topic" : "overview";
    this.panel.replaceChildren(view);
    for (const item of this.list.children) {
      const own = selected >= 0 && (item as HTMLElement).dataset["id"] === model.data.communities[selected]?.id;
      if (own) item.querySelector("a")!.setAttribute("aria-current", "page");
      else item.querySelector("a")!.removeAttribute("aria-current");
    }
    for (const [name, link] of this.links) {
      if (name === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (moved) this.arrive(view);
  }

  // Readers who do not see the page hear the new heading.
  private arrive(view: HTMLElement) {
    if (view.getBoundingClientRect().top < 0) view.scrollIntoView();
    view.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  private showDrawing(): HTMLElement {
    this.drawing ??= new GraphDrawing(this.model);
    (window as unknown as { copseGraph: GraphDrawing }).copseGraph = this.drawing; // the browser tests ask it
    this.drawing.highlight(this.last);
    return this.drawing.element;
  }
}
