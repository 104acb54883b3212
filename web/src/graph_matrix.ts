// The matrix of the graph with its nodes in the order of their communities: a shade for every pair, squares along the
// diagonal where edges stay inside.
import { communityColour, css } from "./colours";
import { bytesOf } from "./data";
import { h } from "./dom";
import { shortened } from "./graph_drawing";
import { type GraphModel, nameOfCommunity } from "./graph_model";
import { count } from "./model";
import { isDark } from "./theme";

export class MatrixPicture {
  readonly element: HTMLElement;
  private readonly canvas: HTMLCanvasElement;
  private readonly said = h("p", { class: "facts", "aria-live": "polite" });
  private readonly cells: Uint8Array;

  constructor(private readonly model: GraphModel) {
    const { matrix, summary } = model.data;
    this.cells = bytesOf(matrix.cells);
    this.canvas = h("canvas", {
      class: "matrix",
      width: matrix.size,
      height: matrix.size,
      role: "img",
      "aria-label": `The matrix of ${count(summary.nodes, "node")}, ordered by community: ${Math.round(100 * summary.coverage)} % of the weight lies in the squares of the communities along its diagonal.`,
    });
    this.element = h(
      "article",
      { class: "matrix-article" },
      h("h2", { tabindex: -1 }, "Matrix"),
      h(
        "p",
        { class: "facts" },
        `Rows and columns are nodes in the order of their communities, the darker the more weight${
          matrix.size < summary.nodes ? `; several nodes share a row` : ""
        }. Squares along the diagonal are communities; what is dark outside of them joins two.`,
      ),
      this.canvas,
      this.said,
    );
    this.canvas.addEventListener("pointermove", (event) => this.hover(event));
    this.canvas.addEventListener("click", (event) => {
      const c = this.communityAt(event.offsetX / this.canvas.clientWidth);
      if (c >= 0) location.hash = `#${this.model.data.communities[c]!.id}`;
    });
    this.recolour();
  }

  recolour() {
    const { size, begins } = this.model.data.matrix;
    const dark = isDark();
    const context = this.canvas.getContext("2d")!;
    const image = context.createImageData(size, size);
    const ink = dark ? [230, 231, 225] : [35, 38, 31];
    const paper = dark ? [28, 32, 29] : [255, 255, 255];
    this.cells.forEach((shade, i) => {
      for (let b = 0; b < 3; ++b) image.data[4 * i + b] = Math.round(paper[b]! + ((ink[b]! - paper[b]!) * shade) / 255);
      image.data[4 * i + 3] = 255;
    });
    context.putImageData(image, 0, 0);
    for (let c = 0; c + 1 < begins.length; ++c) {
      const [begin, end] = [begins[c]!, begins[c + 1]!];
      context.fillStyle = css(communityColour(c, dark), 0.22);
      context.fillRect(begin, begin, end - begin, end - begin);
    }
  }

  // The community of a row, given as a share of the height; -1: none.
  communityAt(share: number): number {
    const { size, begins } = this.model.data.matrix;
    const row = share * size;
    return begins.findIndex((begin, c) => c + 1 < begins.length && begin <= row && row < begins[c + 1]!);
  }

  private hover(event: PointerEvent) {
    const { communities } = this.model.data;
    const [a, b] = [event.offsetY / this.canvas.clientHeight, event.offsetX / this.canvas.clientWidth].map((share) => this.communityAt(share));
    const name = (c: number) => (c < 0 ? "pieces that took no part" : `${communities[c]!.id} “${shortened(nameOfCommunity(communities[c]!))}”`);
    this.said.textContent = a === b ? `Inside ${name(a!)}` : `Between ${name(a!)} and ${name(b!)}`;
  }
}
