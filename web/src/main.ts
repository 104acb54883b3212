// Reads the data, builds the frame of the page and shows the view that the address names.
import { Palette } from "./colours";
import type { ComparePageData } from "./compare_data";
import { CompareReport } from "./compare_report";
import type { PageData } from "./data";
import { documentView } from "./document_view";
import { h } from "./dom";
import { foot } from "./foot";
import { type GraphPageData, graphModelOf } from "./graph_model";
import { GraphReport } from "./graph_report";
import { MapView } from "./map_view";
import { type Model, type Topic, count, fullId, modelOf } from "./model";
import { classesView, flatView, outliersView, printed, searchView, timeView } from "./overviews";
import { Search } from "./search";
import type { SegmentPageData } from "./segment_data";
import { SegmentReport } from "./segment_report";
import "./style.css";
import { surveyView } from "./survey_view";
import { startTheme, switchTheme } from "./theme";
import { topicView } from "./topic_view";
import { TreeView } from "./tree_view";

class Report {
  private readonly palette: Palette;
  private readonly tree: TreeView;
  private readonly search: Search;
  private readonly panel = h("main", { id: "panel" });
  private readonly input = h("input", {
    type: "search",
    placeholder: "Search words and titles",
    "aria-label": "Search words and titles",
    autocomplete: "off",
    spellcheck: "false",
  });
  private readonly links = new Map<string, HTMLAnchorElement>();
  private map: MapView | null = null;
  private lastTopic: Topic | null = null;
  private timer = 0;

  constructor(private readonly model: Model) {
    this.palette = new Palette(model);
    this.search = new Search(model);
    this.tree = new TreeView(model, (place) => {
      location.hash = encodeURIComponent(place);
      if (place === this.place()) this.show();
    });
    const recolour = () => this.map?.recolour();
    startTheme(recolour);
    this.input.addEventListener("input", () => {
      clearTimeout(this.timer);
      this.timer = window.setTimeout(() => this.lookUp(), 120);
    });
    document.body.replaceChildren(
      h("a", { class: "skip", href: "#panel", click: (e: Event) => this.skip(e) }, "Skip to the topic"),
      this.header(recolour),
      h("div", { class: "body" }, h("aside", {}, this.tree.element), this.panel),
      foot(model),
    );
    document.title = `${model.data.title || "Topics"} – Copse`;
    addEventListener("hashchange", () => this.show(true));
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || (event.target as Element).matches("input, textarea")) return;
      event.preventDefault();
      this.input.focus();
    });
    const print = matchMedia("print");
    const prepare = () => document.querySelector(".printed") ?? this.panel.after(printed(model, this.palette));
    print.addEventListener("change", () => print.matches && prepare());
    addEventListener("beforeprint", prepare);
    addEventListener("afterprint", () => document.querySelector(".printed")?.remove());
    this.show();
  }

  private header(recolour: () => void): HTMLElement {
    const { data, root } = this.model;
    const link = (place: string, name: string) => {
      const a = h("a", { href: `#${place}` }, name);
      this.links.set(place, a);
      return h("li", {}, a);
    };
    const { documents } = data;
    const summary = [
      count(documents.total, "document"),
      count(root.leaves.length, "topic"),
      documents.outliers ? count(documents.outliers, "outlier") : "",
      documents.unplaced ? `${count(documents.unplaced, "document")} without a topic` : "",
      documents.near_duplicates ? count(documents.near_duplicates, "near-duplicate") : "",
    ];
    return h(
      "header",
      {},
      h("h1", { dir: "auto" }, data.title || "Topics"),
      h("p", { class: "summary" }, summary.filter(Boolean).join(" · ")),
      ...data.notes.map((note) => h("p", { class: "note", dir: "auto" }, note)),
      h(
        "div",
        { class: "bar-top" },
        h(
          "nav",
          { "aria-label": "Views", class: "views" },
          h(
            "ul",
            {},
            link("", root.children.length === root.leaves.length ? "Topics" : "Tree"),
            link("topics", "Side by side"),
            link("map", "Map"),
            data.survey !== undefined && link("survey", "How many"),
            data.times.length > 1 && link("time", "Over time"),
            data.labels.length > 0 && link("classes", "Classes"),
          ),
        ),
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

  // What the address names. An address that names nothing shows the whole.
  private show(moved = false) {
    const place = this.place();
    const topic = this.model.topics.find((t) => t.data.id === place || fullId(t.data.id) === place) ?? this.model.root;
    const { times, labels, documents } = this.model.data;
    const document_ = /^doc-(\d+)$/.exec(place);
    let tab = place;
    let selected: Topic | "outliers" | null = null;
    let view: HTMLElement;
    if (place === "topics") view = flatView(this.model, this.palette);
    else if (place === "map") view = this.showMap();
    else if (place === "survey" && this.model.data.survey) view = surveyView(this.model, this.palette);
    else if (place === "time" && times.length > 1) view = timeView(this.model);
    else if (place === "classes" && labels.length) view = classesView(this.model);
    else if (place === "outliers") [view, selected] = [outliersView(this.model), "outliers"];
    else if (place.startsWith("search=")) {
      const query = place.slice("search=".length);
      if (document.activeElement !== this.input) this.input.value = query;
      view = searchView(this.model, query, this.search.find(query));
    } else if (document_ && Number(document_[1]) < documents.inside) {
      view = documentView(this.model, Number(document_[1]));
      selected = this.model.topics[this.model.leaf[Number(document_[1])]!] ?? null;
    } else {
      [view, selected, tab] = [topicView(this.model, topic), topic, ""];
      this.lastTopic = topic;
    }
    document.body.dataset["view"] = place === "map" ? "map" : tab && !selected ? "overview" : "topic";
    this.panel.replaceChildren(view);
    this.tree.select(selected);
    for (const [name, link] of this.links) {
      if (name === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    if (place === "map") this.map!.highlight(this.lastTopic);
    if (moved) this.arrive(view);
  }

  // Readers who do not see the page hear the new heading; the tree keeps the focus of those who walk along it.
  private arrive(view: HTMLElement) {
    if (this.tree.element.contains(document.activeElement)) return;
    if (view.getBoundingClientRect().top < 0) view.scrollIntoView();
    view.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  private showMap(): HTMLElement {
    this.map ??= new MapView(this.model, this.palette);
    (window as unknown as { copseMap: MapView }).copseMap = this.map; // the browser tests ask it where points lie
    return this.map.element;
  }
}

// Each kind of result has its own frame and views.
const data = JSON.parse(document.getElementById("data")!.textContent!) as PageData | GraphPageData | SegmentPageData | ComparePageData | string;
if (typeof data === "string") document.body.append(h("p", {}, "This page holds no data yet; copse report writes them into it."));
else if (data.kind === "graph") new GraphReport(graphModelOf(data));
else if (data.kind === "segmentation") new SegmentReport(data);
else if (data.kind === "comparison") new CompareReport(data);
else new Report(modelOf(data));
