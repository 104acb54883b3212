// What copse/report/graph_page.cpp writes into the page of a graph, and what the views ask of it.
import { bytesOf, none, numbersOf } from "./data";
import type { Made } from "./foot";
import type { SurveyData } from "./survey";

export interface CommunityData {
  id: string;
  label: string; // its best features, or else its central nodes
  size: number;
  overlapping: number; // nodes of other communities that belong to it too
  inside: number; // weight of the edges among its nodes
  leaving: number; // and of those to other communities
  conductance: number;
  central: number[]; // weights of its first nodes, as they stand in NodesData
  neighbours: [number, number][]; // community, weight of the edges between; most first
  features?: [string, number][];
  classes?: [number, number][]; // class, count; commonest first
}

export interface NodesData {
  total: number;
  inside: number; // named below: all, or the most central of each community
  names: string[]; // communities in their order, in each the most central first, what was set aside at the end
  community: string; // base64 of 16-bit numbers; 65535: a piece that took no part
  weight: string; // base64 of bytes: 255 times a share
  second: string; // base64 of 16-bit numbers
  second_weight: string;
  label?: string; // base64 of 16-bit numbers: the class
}

export interface EdgesData {
  total: number;
  inside: number; // the heaviest
  from: string; // base64 of 16-bit numbers: positions of nodes inside
  to: string;
  weight: string; // base64 of bytes: 255 times the share of the largest
}

export interface MatrixData {
  size: number;
  begins: number[]; // the row where each community begins, and where they end
  cells: string; // base64 of size x size bytes: shades
}

export interface GraphPageData extends Made {
  format: 1;
  kind: "graph";
  title: string;
  notes: string[];
  summary: {
    nodes: number;
    edges: number;
    pieces: number;
    nodes_set_aside: number;
    modularity: number;
    normalized_cut: number;
    conductance: number;
    coverage: number;
    overlap: number;
  };
  classes: string[];
  communities: CommunityData[];
  matrix: MatrixData;
  nodes: NodesData;
  edges: EdgesData | null; // null: too many nodes to draw
  survey?: SurveyData; // how k was chosen
}

export interface GraphModel {
  data: GraphPageData;
  bySize: number[]; // communities, largest first
  first: number[]; // of each community: the position of its first node, and one more where they end
  community: Uint16Array; // of each node inside
  second: Uint16Array;
  weight: Float64Array; // 0 to 1
  secondWeight: Float64Array;
  label: Uint16Array | null;
  edges: { from: Uint16Array; to: Uint16Array; weight: Float64Array } | null;
  neighbours: number[][] | null; // of each node inside, heaviest edge first; null where there are no edges inside
}

const sharesOf = (base64: string) => Float64Array.from(bytesOf(base64), (byte) => byte / 255);

export function graphModelOf(data: GraphPageData): GraphModel {
  const { communities, nodes } = data;
  const community = numbersOf(nodes.community);
  const first: number[] = [];
  let place = 0;
  for (let c = 0; c <= communities.length; ++c) {
    while (place < community.length && community[place]! < c) ++place;
    first.push(place);
  }
  const edges = data.edges && {
    from: numbersOf(data.edges.from),
    to: numbersOf(data.edges.to),
    weight: sharesOf(data.edges.weight),
  };
  const neighbours = edges && nodes.names.map((): number[] => []);
  edges?.from.forEach((from, e) => {
    neighbours![from]!.push(edges.to[e]!);
    neighbours![edges.to[e]!]!.push(from);
  });
  return {
    data,
    bySize: communities.map((_, c) => c).sort((a, b) => communities[b]!.size - communities[a]!.size || a - b),
    first,
    community,
    second: numbersOf(nodes.second),
    weight: sharesOf(nodes.weight),
    secondWeight: sharesOf(nodes.second_weight),
    label: nodes.label === undefined ? null : numbersOf(nodes.label),
    edges,
    neighbours,
  };
}

// Nodes of a community that are inside the page, the most central first.
export const membersOf = (model: GraphModel, c: number): number[] =>
  Array.from({ length: model.first[c + 1]! - model.first[c]! }, (_, i) => model.first[c]! + i);

export const nameOfCommunity = (data: CommunityData): string => data.label || `community ${data.id}`;

// Share of the weight of its edges that stays inside.
export const cohesion = ({ inside, leaving }: CommunityData): number =>
  inside + leaving > 0 ? (2 * inside) / (2 * inside + leaving) : 0;

export const isAside = (model: GraphModel, node: number): boolean => model.community[node] === none;

// Nodes and communities whose names hold all words of the query, whole names first.
export function findNames(model: GraphModel, query: string, limit: number): { communities: number[]; nodes: number[] } {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rank = (name: string) => {
    const lower = name.toLowerCase();
    if (!words.length || !words.every((word) => lower.includes(word))) return -1;
    return lower === words.join(" ") ? 0 : lower.startsWith(words[0]!) ? 1 : 2;
  };
  const ranked = (names: string[]) =>
    names
      .map((name, i): [number, number] => [rank(name), i])
      .filter(([r]) => r >= 0)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1])
      .slice(0, limit)
      .map(([, i]) => i);
  return { communities: ranked(model.data.communities.map(nameOfCommunity)), nodes: ranked(model.data.nodes.names) };
}
