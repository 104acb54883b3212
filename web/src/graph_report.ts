// The page of a graph: the list of communities, and the view that the address names.
import { h } from "./dom";
import { footOf } from "./foot";
import { Frame } from "./frame";
import { GraphDrawing } from "./graph_drawing";
import { MatrixPicture } from "./graph_matrix";
import { type GraphModel, nameOfCommunity } from "./graph_model";
import { communitiesView, communityView, graphSearchView, nodeView, printedGraph } from "./graph_views";
import { communityColour, css } from "./colours";
import { count, wholeNumber } from "./model";
import { surveyView } from "./survey_view";
import { isDark, startTheme } from "./theme";

export class GraphReport {
  private readonly list = h("ul", { class: "communities-list" });
  private readonly frame: Frame;
  private drawing: GraphDrawing | null = null;
  private matrix: MatrixPicture | null = null;
  private last = -1; // the community that was looked at last

  constructor(private readonly model: GraphModel) {
    const { data } = model;
    const { summary, communities } = data;
    const recolour = () => this.recolour();
    this.frame = new Frame({
      data: { ...data, title: data.title || "Graph" },
      summary: [
        count(summary.nodes, "node"),
        count(summary.edges, "edge"),
        count(communities.length, "community", "communities"),
        `modularity ${summary.modularity}`,
      ],
      views: [
        ["", "Graph"],
        ["communities", "Communities"],
        ["matrix", "Matrix"],
        data.survey !== undefined && ["survey", "How many"],
      ],
      search: { placeholder: "Search nodes", label: "Search nodes and communities" },
      skip: "Skip to the community",
      side: h("nav", { "aria-label": "Communities", class: "tree" }, this.list),
      foot: footOf(data, this.cuts()),
      printed: () => printedGraph(model),
      recolour,
      show: (moved) => this.show(moved),
    });
    startTheme(recolour);
    this.fillList();
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
    if (this.frame.panel.firstChild) this.show();
  }

  // What the address names. An address that names nothing shows the drawing.
  private show(moved = false) {
    const { model } = this;
    const place = this.frame.place();
    const community = model.data.communities.findIndex(({ id }) => id === place);
    const node = /^node-(\d+)$/.exec(place);
    const query = this.frame.query(place);
    let tab = place;
    let selected = -1;
    let view: HTMLElement;
    if (place === "communities") view = communitiesView(model);
    else if (place === "matrix") view = (this.matrix ??= new MatrixPicture(model)).element;
    else if (place === "survey" && model.data.survey) view = surveyView(model.data.survey);
    else if (query !== null) view = graphSearchView(model, query);
    else if (node && Number(node[1]) < model.data.nodes.inside) {
      view = nodeView(model, Number(node[1]));
      selected = model.community[Number(node[1])]!;
    } else if (community >= 0) {
      [view, selected] = [communityView(model, community), community];
      this.last = community;
    } else {
      [view, tab] = [this.showDrawing(), ""];
    }
    document.body.dataset["view"] = selected >= 0 ? "topic" : "overview";
    this.frame.fill(view, tab);
    for (const item of this.list.children) {
      const own = selected >= 0 && (item as HTMLElement).dataset["id"] === model.data.communities[selected]?.id;
      if (own) item.querySelector("a")!.setAttribute("aria-current", "page");
      else item.querySelector("a")!.removeAttribute("aria-current");
    }
    if (moved) this.frame.arrive(view);
  }

  private showDrawing(): HTMLElement {
    this.drawing ??= new GraphDrawing(this.model);
    (window as unknown as { copseGraph: GraphDrawing }).copseGraph = this.drawing; // the browser tests ask it
    this.drawing.highlight(this.last);
    return this.drawing.element;
  }
}
