// Makes pages of graphs to test with: planted communities in a ring.
import { type CommunityData, type GraphPageData } from "../src/graph_model";
import { none } from "../src/data";
import { random } from "./sample";

export interface GraphSampleOptions {
  communities?: number;
  size?: number; // nodes of each
  classes?: boolean;
  features?: boolean;
  aside?: number; // nodes in pieces that took no part
  drawn?: boolean; // edges are inside
  name?: (node: number) => string;
}

const base64 = (array: Uint16Array | Uint8Array) => Buffer.from(array.buffer).toString("base64");

export function graphSample(options: GraphSampleOptions = {}): GraphPageData {
  const { communities: k = 5, size = 12, classes = false, features = false, aside = 0, drawn = true } = options;
  const name = options.name ?? ((node: number) => (node < k * size ? `person ${Math.floor(node / size)}.${node % size}` : `stranger ${node}`));
  const next = random(7);
  const total = k * size + aside;
  const from: number[] = [];
  const to: number[] = [];
  for (let c = 0; c < k; ++c) {
    for (let i = 0; i < size; ++i) {
      for (let j = i + 1; j < size; ++j) {
        if (next() > 0.5 && j > i + 1) continue;
        from.push(c * size + i);
        to.push(c * size + j);
      }
    }
    if (k > 1) {
      from.push(c * size);
      to.push(((c + 1) % k) * size + 1);
    }
  }
  const community = (node: number) => (node < k * size ? Math.floor(node / size) : none);
  const nodes = Array.from({ length: total }, (_, node) => node);
  const communities = Array.from({ length: k }, (_, c): CommunityData => {
    const neighbours = k > 2 ? [(c + 1) % k, (c + k - 1) % k] : k === 2 ? [1 - c] : [];
    return {
      id: String(c),
      label: features ? `red, round, sweet ${c}` : [0, 1, 2].map((i) => name(c * size + i)).join(", "),
      size,
      overlapping: c === 0 ? 1 : 0,
      inside: 30 + c,
      leaving: 2,
      conductance: 0.031,
      central: Array.from({ length: Math.min(10, size) }, (_, i) => 11 - i),
      neighbours: neighbours.map((other) => [other, 1]),
      ...(features ? { features: [["red", 0.4], ["round", 0.2]] as [string, number][] } : {}),
      ...(classes ? { classes: [[c % 2, size - 1], [(c + 1) % 2, 1]] as [number, number][] } : {}),
    };
  });
  const cells = Math.min(total, 60);
  const shades = new Uint8Array(cells * cells);
  for (let i = 0; i < cells; ++i) for (let j = 0; j < cells; ++j) shades[i * cells + j] = community(i) === community(j) && i !== j ? 200 : 0;
  return {
    format: 1,
    kind: "graph",
    title: "friends.tsv",
    command: "copse graph friends.tsv -k 5",
    settings: { similarity: "none", graph: "friends.tsv", solver: "coordinate", time_limit: null },
    facts: [["version", "copse 0.1.0"]],
    notes: aside ? [`The graph has ${1 + aside} components.`] : [],
    summary: {
      nodes: total,
      edges: from.length,
      pieces: aside,
      nodes_set_aside: aside,
      modularity: 0.71,
      normalized_cut: 0.3,
      conductance: 0.031,
      coverage: 0.93,
      overlap: 0.25,
    },
    classes: classes ? ["left", "right"] : [],
    communities,
    matrix: { size: cells, begins: Array.from({ length: k + 1 }, (_, c) => (c * size * cells) / total), cells: base64(shades) },
    nodes: {
      total,
      inside: total,
      names: nodes.map(name),
      community: base64(Uint16Array.from(nodes, community)),
      weight: base64(Uint8Array.from(nodes, () => 230)),
      second: base64(Uint16Array.from(nodes, (node) => (community(node) === none || k < 2 ? none : (community(node) + 1) % k))),
      second_weight: base64(Uint8Array.from(nodes, () => 25)),
      ...(classes ? { label: base64(Uint16Array.from(nodes, (node) => community(node) % 2)) } : {}),
    },
    edges: drawn
      ? {
          total: from.length,
          inside: from.length,
          from: base64(Uint16Array.from(from)),
          to: base64(Uint16Array.from(to)),
          weight: base64(Uint8Array.from(from, () => 255)),
        }
      : null,
  };
}
