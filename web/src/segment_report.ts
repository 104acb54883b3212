// The page of a picture: its segments over it, in their colours, and how sure their boundaries are.
import { h } from "./dom";
import { footOf } from "./foot";
import { pageHead } from "./frame";
import { type LevelFacts, type SegmentPageData, chosenLevel, factsOf, isEdge } from "./segment_data";
import "./segment.css";
import { startTheme } from "./theme";

const percent = (share: number) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)} %`;
const css = ([r, g, b]: [number, number, number]) => `rgb(${r} ${g} ${b})`;

async function pixelsOf(uri: string): Promise<ImageData> {
  const image = new Image();
  image.src = uri;
  await image.decode();
  const canvas = h("canvas", { width: image.naturalWidth, height: image.naturalHeight });
  const context = canvas.getContext("2d", { willReadFrequently: true })!;
  context.drawImage(image, 0, 0);
  return context.getImageData(0, 0, canvas.width, canvas.height);
}

export class SegmentReport {
  private readonly figure = h("figure", { class: "picture" });
  private readonly table = h("div", { class: "segments" });
  private readonly canvas = h("canvas", {});
  private colours: ImageData | null = null;
  private labels: Uint8Array | null = null;
  private facts: LevelFacts[] = [];
  private level: number;
  private marked: number | null = null;
  private filled = false;

  constructor(private readonly data: SegmentPageData) {
    this.level = chosenLevel(data);
    startTheme(() => undefined);
    document.title = `${data.title} – Copse`;
    document.body.replaceChildren(
      this.header(),
      h("main", { id: "panel", class: "segmentation" }, this.figure, this.table, this.others()),
      footOf(data, []),
    );
    this.showStill();
    if (data.level_labels.length) void this.start();
  }

  private header(): HTMLElement {
    const { data } = this;
    const { width, height } = data.picture;
    return pageHead(
      data,
      [`${data.segments.length} segments`, `${width} × ${height} pixels`, data.levels.length > 1 ? `${data.levels.length} segmentations` : ""],
      () => undefined,
    );
  }

  // Without any script of ours that reads pixels: the pictures as the run made them.
  private showStill() {
    const { data } = this;
    this.figure.replaceChildren(
      h("img", { src: data.pictures.overlay, alt: `${data.title} with the outlines of its segments` }),
      h("figcaption", {}, "The segments over the picture."),
    );
    const all = data.picture.width * data.picture.height;
    this.facts = data.segments.map((s) => ({ label: s.segment, pixels: s.pixels, colour: s.colour })).sort((a, b) => b.pixels - a.pixels);
    this.showTable(all);
  }

  private others(): HTMLElement {
    const { pictures, title } = this.data;
    const one = (src: string, words: string) =>
      h("figure", {}, h("img", { src, alt: `${title}: ${words}`, loading: "lazy" }), h("figcaption", {}, words));
    return h(
      "section",
      { class: "others" },
      one(pictures.picture, "The picture"),
      one(pictures.segments, "Each segment in its mean colour"),
      one(pictures.boundaries, "How often a pixel lies on a boundary: the brighter, the surer"),
    );
  }

  private async start() {
    this.colours = await pixelsOf(this.data.pictures.picture);
    this.canvas.width = this.colours.width;
    this.canvas.height = this.colours.height;
    this.canvas.addEventListener("pointermove", (event) => this.point(event));
    this.canvas.addEventListener("pointerleave", () => this.mark(null));
    const output = h("output", { for: "level" });
    const slider = h("input", {
      id: "level",
      type: "range",
      min: 0,
      max: this.data.levels.length - 1,
      value: this.level,
      "aria-label": "How many segments",
      input: () => void this.choose(Number(slider.value), output),
    });
    const fill = h("input", {
      type: "checkbox",
      id: "fill",
      change: () => {
        this.filled = fill.checked;
        this.draw();
      },
    });
    this.canvas.setAttribute("role", "img");
    this.canvas.setAttribute("aria-label", `${this.data.title} with the outlines of its segments`);
    this.figure.replaceChildren(
      this.canvas,
      h(
        "figcaption",
        {},
        h("label", { class: "level" }, "Segments ", slider, output),
        h("label", {}, fill, " in their mean colours"),
      ),
    );
    await this.choose(this.level, output);
  }

  private async choose(level: number, output: HTMLOutputElement) {
    this.level = level;
    output.value = String(this.data.levels[level]);
    const image = await pixelsOf(this.data.level_labels[level]!);
    if (level !== this.level) return; // the slider has moved on
    this.labels = Uint8Array.from({ length: image.data.length / 4 }, (_, p) => image.data[4 * p]!);
    this.facts = factsOf(this.labels, this.colours!.data);
    this.marked = null;
    this.draw();
    this.showTable(this.labels.length);
  }

  private draw() {
    if (!this.labels || !this.colours) return;
    const { width, height, data } = this.colours;
    const out = new ImageData(new Uint8ClampedArray(data), width, height);
    const mean = new Map(this.facts.map((f) => [f.label, f.colour]));
    this.labels.forEach((label, p) => {
      if (this.filled) mean.get(label)!.forEach((value, c) => (out.data[4 * p + c] = value));
      if (this.marked !== null && label !== this.marked)
        for (let c = 0; c < 3; ++c) out.data[4 * p + c] = Math.round(out.data[4 * p + c]! * 0.35);
      if (isEdge(this.labels!, width, p)) out.data.set([255, 32, 32], 4 * p);
    });
    this.canvas.getContext("2d")!.putImageData(out, 0, 0);
  }

  private point(event: PointerEvent) {
    if (!this.labels) return;
    const box = this.canvas.getBoundingClientRect();
    const x = Math.floor(((event.clientX - box.left) / box.width) * this.canvas.width);
    const y = Math.floor(((event.clientY - box.top) / box.height) * this.canvas.height);
    const label = this.labels[y * this.canvas.width + x];
    this.mark(label ?? null);
  }

  private mark(label: number | null) {
    if (label === this.marked) return;
    this.marked = label;
    for (const row of this.table.querySelectorAll<HTMLElement>("tr[data-label]"))
      row.classList.toggle("marked", row.dataset["label"] === String(label));
    this.draw();
  }

  private showTable(pixels: number) {
    this.table.replaceChildren(
      h(
        "table",
        {},
        h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Segment"), h("th", { scope: "col" }, "Share"))),
        h(
          "tbody",
          {},
          ...this.facts.map((f) =>
            h(
              "tr",
              { "data-label": f.label, pointerenter: () => this.mark(f.label), pointerleave: () => this.mark(null) },
              h("td", {}, h("span", { class: "swatch", style: `background:${css(f.colour)}` }), String(f.label)),
              h("td", {}, percent(f.pixels / pixels)),
            ),
          ),
        ),
      ),
    );
  }
}
