// Reads the data and shows the page of its kind; the one of documents and their topics is here.
import { Palette } from "./colours";
import type { ComparePageData } from "./compare_data";
import { CompareReport } from "./compare_report";
import type { PageData } from "./data";
import { documentView } from "./document_view";
import { h } from "./dom";
import { foot } from "./foot";
import { Frame } from "./frame";
import { type GraphPageData, graphModelOf } from "./graph_model";
import { GraphReport } from "./graph_report";
import { MapView } from "./map_view";
import { type Model, type Topic, count, fullId, modelOf, nameOf } from "./model";
import { capital, groups, items, nounsOf } from "./nouns";
import { classesView, flatView, outliersView, printed, searchView, timeView } from "./overviews";
import { Search } from "./search";
import type { SegmentPageData } from "./segment_data";
import { SegmentReport } from "./segment_report";
import "./style.css";
import { scatterFigure, surveyView } from "./survey_view";
import { startTheme } from "./theme";
import { topicView } from "./topic_view";
import { TreeView } from "./tree_view";

class Report {
  private readonly palette: Palette;
  private readonly tree: TreeView;
  private readonly search: Search;
  private readonly frame: Frame;
  private map: MapView | null = null;
  private lastTopic: Topic | null = null;

  constructor(private readonly model: Model) {
    const { data, root } = model;
    const { documents } = data;
    const nouns = nounsOf(model);
    this.palette = new Palette(model);
    this.search = new Search(model);
    this.tree = new TreeView(model, (place) => {
      location.hash = encodeURIComponent(place);
      if (place === this.frame.place()) this.show();
    });
    const recolour = () => this.map?.recolour();
    startTheme(recolour);
    this.frame = new Frame({
      data: { ...data, title: data.title || capital(nouns.groups) },
      summary: [
        items(model, documents.total),
        groups(model, root.leaves.length),
        documents.outliers ? count(documents.outliers, "outlier") : "",
        documents.unplaced ? `${items(model, documents.unplaced)} without a ${nouns.group}` : "",
        documents.near_duplicates ? count(documents.near_duplicates, "near-duplicate") : "",
      ],
      views: [
        ["", root.children.length === root.leaves.length ? capital(nouns.groups) : "Tree"],
        ["topics", "Side by side"],
        ["map", "Map"],
        data.survey !== undefined && ["survey", "How many"],
        data.times.length > 1 && ["time", "Over time"],
        data.labels.length > 0 && ["classes", "Classes"],
      ],
      search: { placeholder: nouns.search, label: nouns.search },
      skip: `Skip to the ${nouns.group}`,
      side: this.tree.element,
      foot: foot(model),
      printed: () => printed(model, this.palette),
      recolour,
      show: (moved) => this.show(moved),
    });
    this.show();
  }

  // What the address names. An address that names nothing shows the whole.
  private show(moved = false) {
    const place = this.frame.place();
    const topic = this.model.topics.find((t) => t.data.id === place || fullId(t.data.id) === place) ?? this.model.root;
    const { times, labels, documents } = this.model.data;
    const document_ = /^doc-(\d+)$/.exec(place);
    const query = this.frame.query(place);
    let tab = place;
    let selected: Topic | "outliers" | null = null;
    let view: HTMLElement;
    if (place === "topics") view = flatView(this.model, this.palette);
    else if (place === "map") view = this.showMap();
    else if (place === "survey" && this.model.data.survey) view = surveyView(this.model.data.survey, scatterFigure(this.model, this.palette), (id) => this.nameOfId(id));
    else if (place === "time" && times.length > 1) view = timeView(this.model);
    else if (place === "classes" && labels.length) view = classesView(this.model);
    else if (place === "outliers") [view, selected] = [outliersView(this.model), "outliers"];
    else if (query !== null) view = searchView(this.model, query, this.search.find(query));
    else if (document_ && Number(document_[1]) < documents.inside) {
      view = documentView(this.model, Number(document_[1]));
      selected = this.model.topics[this.model.leaf[Number(document_[1])]!] ?? null;
    } else {
      [view, selected, tab] = [topicView(this.model, topic), topic, ""];
      this.lastTopic = topic;
    }
    document.body.dataset["view"] = place === "map" ? "map" : tab && !selected ? "overview" : "topic";
    this.frame.fill(view, tab);
    this.tree.select(selected);
    if (place === "map") this.map!.highlight(this.lastTopic);
    // The tree keeps the focus of those who walk along it.
    if (moved && !this.tree.element.contains(document.activeElement)) this.frame.arrive(view);
  }

  private nameOfId(id: string): string {
    const topic = this.model.topics.find((t) => t.data.id === id);
    return topic ? nameOf(this.model, topic) : id;
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
