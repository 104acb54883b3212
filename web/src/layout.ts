// Where documents lie on the map. Leaves are circles whose area is their size, packed with those of their branch; in each,
// documents lie as seeds in a sunflower, the surest in the middle, each drawn towards its second topic.
import { type PackCircle, packEnclose, packSiblings } from "d3-hierarchy";
import type { Model, Topic } from "./model";

export interface Circle extends PackCircle {
  topic: Topic;
}

export interface Layout {
  radius: number; // all lies in a circle around (0, 0)
  leaves: Circle[];
  branches: Circle[];
  x: Float32Array; // of each document inside; NaN: not on the map
  y: Float32Array;
}

const goldenAngle = Math.PI * (3 - Math.sqrt(5));
const pull = 0.55; // how far a document of two equal topics goes to the second one's middle
const gap = 1.09; // between circles

// About the square root of the number of leaves, found by opening the largest branch again and again.
export function branchesOf(root: Topic): Topic[] {
  const wanted = Math.max(3, Math.round(Math.sqrt(root.leaves.length)));
  let branches = root.children.length ? [...root.children] : [root];
  while (branches.length < wanted) {
    const largest = branches.filter((b) => b.children.length).sort((a, b) => b.data.size - a.data.size)[0];
    if (!largest) break;
    branches = branches.flatMap((b) => (b === largest ? b.children : [b]));
  }
  return branches;
}

function packed(circles: Circle[]): number {
  packSiblings(circles);
  return circles.length ? packEnclose(circles).r : 0;
}

export function layoutOf(model: Model): Layout {
  const leaves: Circle[] = [];
  const branches = branchesOf(model.root).map((topic): Circle => {
    const inside = topic.leaves.map((leaf): Circle => {
      const radius = Math.sqrt(Math.max(1, leaf.data.size));
      return { topic: leaf, x: 0, y: 0, r: radius * gap };
    });
    const r = packed(inside);
    leaves.push(...inside);
    return { topic, x: 0, y: 0, r: r * (inside.length > 1 ? 1.04 : 1) };
  });
  const radius = packed(branches);
  const circleOf: (Circle | undefined)[] = [];
  for (const circle of leaves) circleOf[circle.topic.index] = circle;
  for (const branch of branches) {
    for (const leaf of branch.topic.leaves) {
      const circle = circleOf[leaf.index]!;
      circle.x += branch.x;
      circle.y += branch.y;
      circle.r /= gap;
    }
  }

  const count = model.leaf.length;
  const x = new Float32Array(count).fill(NaN);
  const y = new Float32Array(count).fill(NaN);
  for (const circle of leaves) {
    const documents = model.byLeaf[circle.topic.index]!;
    for (const [i, d] of documents.entries()) {
      const distance = circle.r * 0.97 * Math.sqrt((i + 0.5) / documents.length);
      const second = circleOf[model.second[d]!];
      const both = model.weight[d]! + model.secondWeight[d]!;
      const towards = second && both > 0 ? 2 * pull * (model.secondWeight[d]! / both) ** 2 : 0;
      const px = circle.x + distance * Math.cos(i * goldenAngle);
      const py = circle.y + distance * Math.sin(i * goldenAngle);
      x[d] = px + (second ? towards * (second.x - px) : 0);
      y[d] = py + (second ? towards * (second.y - py) : 0);
    }
  }
  // Outliers form a ring around the topic that they are nearest to.
  for (const [i, d] of model.outliers.entries()) {
    const circle = circleOf[model.leaf[d]!]!;
    const distance = circle.r * (1.02 + 0.08 * ((i * 0.618) % 1));
    x[d] = circle.x + distance * Math.cos(i * goldenAngle);
    y[d] = circle.y + distance * Math.sin(i * goldenAngle);
  }
  return { radius, leaves, branches, x, y };
}
