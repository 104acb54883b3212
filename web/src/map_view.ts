// The map of documents: circles and tints below, points on top, both on canvas.
import { quadtree, type Quadtree } from "d3-quadtree";
import { css, type Palette } from "./colours";
import { none, outlierFlag } from "./data";
import { h } from "./dom";
import { type Circle, type Layout, layoutOf } from "./layout";
import { linkTo, linkToDocument } from "./links";
import { type Model, type Topic, nameOf, titleOf, wholeNumber } from "./model";
import { groups, items, nounsOf } from "./nouns";
import { drawPoints } from "./points";
import { isDark } from "./theme";
import { ZoomedBox } from "./zoomed_box";

const reachOfPointer = 8; // pixels from a point that still hit it

export class MapView {
  readonly element: HTMLElement;
  private readonly layout: Layout;
  private readonly ground = h("canvas", { "aria-hidden": "true" });
  private readonly box = new ZoomedBox({
    below: this.ground,
    extent: [0.6, 400],
    frame: () => this.timedFrame(),
    resized: () => this.resized(),
    tipAt: (x, y) => this.tipAt(x, y),
    go: (x, y) => this.go(x, y),
  });
  private readonly points = this.box.canvas;
  private tree: Quadtree<number> | null = null;
  private image: ImageData | null = null;
  private highlighted: Topic | null = null;
  private dark = false;
  private colours = new Uint32Array();
  lastFrame = 0; // milliseconds that the last frame took to draw

  constructor(
    private readonly model: Model,
    private readonly palette: Palette,
  ) {
    this.layout = layoutOf(model);
    const { inside, total, unplaced } = model.data.documents;
    const nouns = nounsOf(model);
    this.points.setAttribute(
      "aria-label",
      `Map of ${items(model, inside)} in ${groups(model, this.layout.leaves.length)}. The tree and the lists hold the same ${nouns.items}. Arrow keys move the map, plus and minus zoom.`,
    );
    this.element = h(
      "article",
      { class: "map-article" },
      h("h2", { tabindex: -1 }, "Map"),
      h(
        "p",
        { class: "facts" },
        `Each point is ${nouns.item === "item" ? "an" : "a"} ${nouns.item} and each circle a ${nouns.group}. The surest lie in the middle; one of two ${nouns.groups} is drawn towards the second.${
          inside < total ? ` ${wholeNumber(inside)} of ${items(model, total)} are on it, an even sample.` : ""
        }${unplaced ? ` ${items(model, unplaced)} could not be placed.` : ""}`,
      ),
      this.box.element,
    );
  }

  highlight(topic: Topic | null) {
    this.highlighted = topic?.parent ? topic : null;
    this.recolour();
  }

  recolour() {
    this.dark = isDark();
    const of = this.model.topics.map((topic) => {
      const shown = !this.highlighted || this.highlighted.leaves.includes(topic);
      const [r, g, b] = shown ? this.palette.of(topic, this.dark) : this.dark ? [58, 64, 61] : [218, 217, 211];
      return r | (g << 8) | (b << 16);
    });
    const grey = this.dark ? 0x7c827f : 0x9a9e9b;
    this.colours = Uint32Array.from(this.model.leaf, (leaf, d) =>
      leaf === none || this.model.flags[d]! & outlierFlag ? grey : of[leaf]!,
    );
    this.box.draw();
  }

  // The document at a place of the canvas in CSS pixels, or -1.
  documentAt(px: number, py: number): number {
    this.tree ??= quadtree<number>()
      .x((d) => this.layout.x[d]!)
      .y((d) => this.layout.y[d]!)
      .addAll(Array.from(this.layout.x.keys()).filter((d) => !Number.isNaN(this.layout.x[d])));
    const { x, y, k } = this.view();
    return this.tree.find((px - x) / k, (py - y) / k, reachOfPointer / k) ?? -1;
  }

  // Where a document lies on the canvas, in CSS pixels.
  placeOf(d: number): [number, number] {
    const { x, y, k } = this.view();
    return [x + k * this.layout.x[d]!, y + k * this.layout.y[d]!];
  }

  // From the plane of the layout to CSS pixels.
  private view() {
    const { clientWidth: width, clientHeight: height } = this.points;
    const fit = (0.485 * Math.min(width, height)) / Math.max(1, this.layout.radius);
    const { x, y, k } = this.box.transform;
    return { x: x + (k * width) / 2, y: y + (k * height) / 2, k: k * fit };
  }

  private circleAt(px: number, py: number): Circle | undefined {
    const { x, y, k } = this.view();
    return this.layout.leaves.find((c) => Math.hypot((px - x) / k - c.x, (py - y) / k - c.y) < c.r);
  }

  private resized() {
    this.image = new ImageData(this.points.width, this.points.height);
    this.recolour();
  }

  private timedFrame() {
    const start = performance.now();
    this.frame();
    this.lastFrame = performance.now() - start;
  }

  private frame() {
    if (!this.image) return;
    const { width, height } = this.image;
    const ratio = width / this.points.clientWidth;
    const view = this.view();
    const scaled = { x: view.x * ratio, y: view.y * ratio, k: view.k * ratio };
    this.drawGround(scaled);
    const context = this.points.getContext("2d")!;
    const radius = ratio * Math.min(4.5, Math.max(0.55, 0.42 * view.k));
    const { x, y } = this.layout;
    drawPoints(new Uint32Array(this.image.data.buffer), width, height, x, y, this.colours, scaled, radius);
    context.putImageData(this.image, 0, 0);
    this.drawNames(context, scaled, ratio);
  }

  private drawGround({ x, y, k }: { x: number; y: number; k: number }) {
    const context = this.ground.getContext("2d")!;
    context.clearRect(0, 0, this.ground.width, this.ground.height);
    const disc = (c: Circle, fill: string) => {
      context.beginPath();
      context.arc(x + k * c.x, y + k * c.y, k * c.r, 0, 2 * Math.PI);
      context.fillStyle = fill;
      context.fill();
    };
    for (const branch of this.layout.branches)
      if (branch.topic.leaves.length > 1) disc(branch, this.dark ? "rgb(255 255 255 / 0.035)" : "rgb(40 50 30 / 0.035)");
    for (const leaf of this.layout.leaves) disc(leaf, css(this.palette.of(leaf.topic, this.dark), this.dark ? 0.1 : 0.12));
  }

  private drawNames(context: CanvasRenderingContext2D, { x, y, k }: { x: number; y: number; k: number }, ratio: number) {
    const style = getComputedStyle(this.box.element);
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    for (const { topic, x: cx, y: cy, r } of this.layout.leaves) {
      const size = Math.min(15 * ratio, Math.max(11 * ratio, (k * r) / 4));
      if (k * r < 26 * ratio || k * r > 1200 * ratio) continue;
      if (this.highlighted && !this.highlighted.leaves.includes(topic)) continue;
      context.font = `600 ${size}px ${style.fontFamily}`;
      const { name, label } = topic.data;
      const terms = label ? label.split(", ") : topic.data.words.map((w) => this.model.data.words[w]!);
      const words = name ? [name] : terms.slice(0, k * r > 46 * ratio ? 3 : 2);
      for (const [i, word] of words.entries()) {
        const py = y + k * cy + (i - (words.length - 1) / 2) * size * 1.2;
        context.lineWidth = 3.5 * ratio;
        context.strokeStyle = style.backgroundColor;
        context.strokeText(word, x + k * cx, py, 2.1 * k * r);
        context.fillStyle = style.color;
        context.fillText(word, x + k * cx, py, 2.1 * k * r);
      }
    }
  }

  private tipAt(px: number, py: number): Node[] {
    const d = this.documentAt(px, py);
    const circle = d < 0 ? this.circleAt(px, py) : undefined;
    if (d < 0 && !circle) return [];
    const topic = d < 0 ? circle!.topic : this.model.topics[this.model.leaf[d]!]!;
    const name = h("span", { dir: "auto", class: "quiet" }, `${topic.data.id} ${nameOf(this.model, topic)}`);
    return d < 0 ? [name] : [h("span", { dir: "auto" }, titleOf(this.model, d)), name];
  }

  private go(px: number, py: number) {
    const d = this.documentAt(px, py);
    const circle = this.circleAt(px, py);
    if (d >= 0) location.hash = linkToDocument(d);
    else if (circle) location.hash = linkTo(circle.topic);
  }
}
