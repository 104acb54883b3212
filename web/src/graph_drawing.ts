// The graph on a canvas: nodes or whole communities. The lists hold the same for those who do
// not see it.
import { quadtree, type Quadtree } from "d3-quadtree";
import { communityColour, css } from "./colours";
import { h } from "./dom";
import { type GraphModel, nameOfCommunity } from "./graph_model";
import { type Place, type Scene, nodeScene, quotientScene, settle } from "./graph_layout";
import { count } from "./model";
import { isDark } from "./theme";
import { ZoomedBox } from "./zoomed_box";

const reachOfPointer = 7; // pixels from a disc that still hit it
const ticksAtOnce = 6;

export class GraphDrawing {
  readonly element: HTMLElement;
  readonly scene: Scene;
  private readonly whole: boolean; // nodes, not communities
  private readonly box = new ZoomedBox({
    class: "graph-drawing",
    extent: [0.2, 60],
    frame: () => this.frame(),
    resized: () => this.fitAll(),
    tipAt: (x, y) => this.tipAt(x, y),
    go: (x, y) => this.go(x, y),
  });
  private readonly canvas = this.box.canvas;
  private tree: Quadtree<number> | null = null;
  private fit = { x: 0, y: 0, k: 1 };
  private highlighted = -1;

  constructor(private readonly model: GraphModel) {
    this.whole = model.edges !== null;
    this.scene = this.whole ? nodeScene(model) : quotientScene(model);
    if (!this.whole) settle(this.scene);
    const { data } = model;
    const edges = data.edges;
    const drawn = edges && edges.inside < edges.total ? ` The heaviest ${count(edges.inside, "edge")} are drawn.` : "";
    this.canvas.setAttribute(
      "aria-label",
      `Drawing of ${count(data.summary.nodes, "node")} in ${count(data.communities.length, "community", "communities")}. The list of communities holds the same. Arrow keys move it, plus and minus zoom.`,
    );
    this.element = h(
      "article",
      { class: "map-article" },
      h("h2", { tabindex: -1 }, "Graph"),
      h(
        "p",
        { class: "facts" },
        this.whole
          ? `Each disc is a node, coloured by its community; edges pull nodes together.${drawn}`
          : "Each disc is a community, as large as it has nodes; lines are the weight of the edges between two of them.",
      ),
      this.box.element,
    );
  }

  // The community that stands out; -1: none.
  highlight(community: number) {
    this.highlighted = community;
    this.box.draw();
  }

  recolour() {
    this.box.draw();
  }

  // The node, or community, at a place of the canvas in CSS pixels; -1: none.
  at(px: number, py: number): number {
    this.tree ??= quadtree<number>()
      .x((i) => this.scene.places[i]!.x)
      .y((i) => this.scene.places[i]!.y)
      .addAll(this.scene.places.map((_, i) => i));
    const { x, y, k } = this.view();
    const [sx, sy] = [(px - x) / k, (py - y) / k];
    const hit = (p: Place) => Math.hypot(p.x - sx, p.y - sy) <= p.r + reachOfPointer / k;
    if (!this.whole) return this.scene.places.findIndex(hit);
    const nearest = this.tree.find(sx, sy);
    return nearest !== undefined && hit(this.scene.places[nearest]!) ? nearest : -1;
  }

  // Where a node, or community, lies on the canvas in CSS pixels.
  placeOf(i: number): [number, number] {
    const { x, y, k } = this.view();
    return [x + k * this.scene.places[i]!.x, y + k * this.scene.places[i]!.y];
  }

  // Whether the layout has come to rest.
  get settled() {
    return this.scene.ticks === 0;
  }

  private view() {
    const { x, y, k } = this.box.transform;
    return { x: x + k * this.fit.x, y: y + k * this.fit.y, k: k * this.fit.k };
  }

  // All discs inside the box.
  private fitAll() {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const { places } = this.scene;
    const left = Math.min(...places.map((p) => p.x - p.r));
    const right = Math.max(...places.map((p) => p.x + p.r));
    const top = Math.min(...places.map((p) => p.y - p.r));
    const bottom = Math.max(...places.map((p) => p.y + p.r));
    const k = 0.94 * Math.min(width / Math.max(1, right - left), height / Math.max(1, bottom - top), 3);
    this.fit = { x: width / 2 - (k * (left + right)) / 2, y: height / 2 - (k * (top + bottom)) / 2, k };
  }

  private frame() {
    if (!this.settled) {
      settle(this.scene, ticksAtOnce);
      this.tree = null;
      this.fitAll();
      this.box.draw();
    }
    const context = this.canvas.getContext("2d")!;
    const ratio = this.canvas.width / this.canvas.clientWidth;
    const dark = isDark();
    const { x, y, k } = this.view();
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.clientWidth, this.canvas.clientHeight);
    const shown = (p: Place) => this.highlighted < 0 || p.group === this.highlighted;
    const busy = Math.min(1, 3000 / Math.max(1, this.scene.lines.length));
    for (const { source, target, weight } of this.scene.lines) {
      const inside = source.group === target.group;
      const seen = shown(source) || shown(target);
      const strength = !this.whole ? 0.35 : inside ? 0.5 * (0.3 + 0.7 * busy) : 0.28 * (0.06 + 0.94 * busy);
      context.globalAlpha = strength * (0.25 + 0.75 * weight) * (seen ? 1 : 0.15);
      context.strokeStyle = inside ? css(communityColour(source.group, dark)) : dark ? "#8d948f" : "#777c76";
      context.lineWidth = this.whole ? Math.max(0.5, 1.6 * weight) : 0.6 + 9 * weight;
      context.beginPath();
      context.moveTo(x + k * source.x, y + k * source.y);
      context.lineTo(x + k * target.x, y + k * target.y);
      context.stroke();
    }
    for (const p of this.scene.places) {
      context.globalAlpha = shown(p) ? 1 : 0.18;
      context.fillStyle = p.group < 0 ? (dark ? "#7c827f" : "#9a9e9b") : css(communityColour(p.group, dark));
      context.beginPath();
      context.arc(x + k * p.x, y + k * p.y, Math.max(1.4, p.r * k), 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
    this.names(context);
  }

  // The name of each community in its middle; at closer sight those of nodes.
  private names(context: CanvasRenderingContext2D) {
    const style = getComputedStyle(this.box.element);
    const { x, y, k } = this.view();
    context.textAlign = "center";
    context.textBaseline = "middle";
    context.lineJoin = "round";
    const write = (text: string, px: number, py: number, size: number) => {
      context.font = `600 ${size}px ${style.fontFamily}`;
      context.lineWidth = 3.5;
      context.strokeStyle = style.backgroundColor;
      const half = context.measureText(text).width / 2 + 4;
      const inside = Math.max(half, Math.min(this.canvas.clientWidth - half, px));
      context.strokeText(text, inside, py);
      context.fillStyle = style.color;
      context.fillText(text, inside, py);
    };
    const { communities, nodes } = this.model.data;
    const relative = this.box.transform.k;
    if (this.whole && (relative > 3 || this.scene.places.length <= 60)) {
      for (const [i, p] of this.scene.places.entries()) {
        const [px, py] = [x + k * p.x, y + k * p.y];
        if (px < 0 || py < 0 || px > this.canvas.clientWidth || py > this.canvas.clientHeight) continue;
        write(shortened(nodes.names[i]!, 24), px, py - p.r * k - 8, 11);
      }
      return;
    }
    const taken: [number, number][] = [];
    for (const c of this.model.bySize) {
      const own = this.whole ? this.scene.places.slice(this.model.first[c], this.model.first[c + 1]) : [this.scene.places[c]!];
      if (!own.length || (this.highlighted >= 0 && c !== this.highlighted)) continue;
      const px = x + (k * own.reduce((sum, p) => sum + p.x, 0)) / own.length;
      const py = y + (k * own.reduce((sum, p) => sum + p.y, 0)) / own.length;
      if (taken.some(([tx, ty]) => Math.abs(tx - px) < 130 && Math.abs(ty - py) < 17)) continue;
      taken.push([px, py]);
      write(shortened(nameOfCommunity(communities[c]!), 24), px, py, 12);
    }
  }

  private tipAt(px: number, py: number): Node[] {
    const found = this.at(px, py);
    if (found < 0) return [];
    const { data } = this.model;
    const group = this.scene.places[found]!.group;
    const name = group < 0 ? "a piece that took no part" : `${data.communities[group]!.id} ${nameOfCommunity(data.communities[group]!)}`;
    const of = this.whole ? data.nodes.names[found]! : count(data.communities[found]!.size, "node");
    return [h("span", { dir: "auto" }, of), h("span", { dir: "auto", class: "quiet" }, name)];
  }

  private go(px: number, py: number) {
    const found = this.at(px, py);
    if (found >= 0) location.hash = this.whole ? `#node-${found}` : `#${this.model.data.communities[found]!.id}`;
  }
}

export const shortened = (name: string, most = 34) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
