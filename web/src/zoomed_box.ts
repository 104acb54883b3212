// A box with a canvas that is zoomed and panned by mouse, touch, buttons and keys, and a tip beside the pointer.
import { select } from "d3-selection";
import { zoom, zoomIdentity, type ZoomTransform } from "d3-zoom";
import { h } from "./dom";

interface Content {
  class?: string;
  below?: HTMLCanvasElement; // painted under the canvas, at the same size
  extent: [number, number]; // of zooming
  frame(): void; // draws; the canvas is on the screen
  resized(): void; // before the frame that follows
  tipAt(x: number, y: number): Node[]; // what is told of a place in CSS pixels; empty: nothing is there
  go(x: number, y: number): void; // at a click
}

export class ZoomedBox {
  readonly element: HTMLElement;
  readonly canvas = h("canvas", { tabindex: 0, role: "img", class: "points" });
  transform: ZoomTransform = zoomIdentity;
  private readonly tip = h("div", { class: "tip", hidden: true });
  private readonly zoom = zoom<HTMLCanvasElement, unknown>();
  private waiting = false;

  constructor(private readonly content: Content) {
    const button = (label: string, sign: string, act: () => void) =>
      h("button", { type: "button", "aria-label": label, title: label, click: act }, sign);
    this.element = h(
      "div",
      { class: content.class ? `map ${content.class}` : "map" },
      ...(content.below ? [content.below] : []),
      this.canvas,
      this.tip,
      h(
        "div",
        { class: "map-buttons" },
        button("Zoom in", "+", () => this.scaleBy(1.6)),
        button("Zoom out", "−", () => this.scaleBy(1 / 1.6)),
        button("Show all", "⤢", () => this.reset()),
      ),
    );
    this.zoom.scaleExtent(content.extent);
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.zoom.on("zoom", ({ transform }: { transform: ZoomTransform }) => {
      this.transform = transform;
      this.hide();
      this.draw();
    });
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("pointerleave", () => this.hide());
    this.canvas.addEventListener("click", (event) => content.go(event.offsetX, event.offsetY));
    this.canvas.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.resize()).observe(this.element);
  }

  // Asks for a frame.
  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      if (this.canvas.clientWidth) this.content.frame();
    });
  }

  private resize() {
    const { clientWidth, clientHeight } = this.canvas;
    if (!clientWidth || !clientHeight) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    for (const canvas of [this.canvas, ...(this.content.below ? [this.content.below] : [])]) {
      canvas.width = Math.round(clientWidth * ratio);
      canvas.height = Math.round(clientHeight * ratio);
    }
    this.content.resized();
    this.draw();
  }

  private hover(event: PointerEvent) {
    const told = event.buttons ? [] : this.content.tipAt(event.offsetX, event.offsetY);
    if (!told.length) return this.hide();
    this.tip.replaceChildren(...told);
    this.tip.hidden = false;
    const left = Math.min(event.offsetX + 14, this.element.clientWidth - this.tip.offsetWidth - 8);
    const below = event.offsetY + 18 + this.tip.offsetHeight < this.element.clientHeight;
    this.tip.style.transform = `translate(${Math.max(8, left)}px, ${below ? event.offsetY + 18 : event.offsetY - this.tip.offsetHeight - 10}px)`;
    this.canvas.style.cursor = "pointer";
  }

  private hide() {
    this.tip.hidden = true;
    this.canvas.style.cursor = "";
  }

  private scaleBy(factor: number) {
    this.zoom.scaleBy(select(this.canvas), factor);
  }

  private reset() {
    this.zoom.transform(select(this.canvas), zoomIdentity);
  }

  private key(event: KeyboardEvent) {
    const step = 60 / this.transform.k;
    const moves: Record<string, [number, number]> = {
      ArrowLeft: [step, 0],
      ArrowRight: [-step, 0],
      ArrowUp: [0, step],
      ArrowDown: [0, -step],
    };
    const move = moves[event.key];
    if (move) this.zoom.translateBy(select(this.canvas), ...move);
    else if (event.key === "+" || event.key === "=") this.scaleBy(1.4);
    else if (event.key === "-") this.scaleBy(1 / 1.4);
    else if (event.key === "0") this.reset();
    else return;
    event.preventDefault();
  }
}
