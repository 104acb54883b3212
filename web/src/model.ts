// The report as the views use it: nodes with their children, and the documents below each.
import { type NodeData, type PageData, duplicateFlag, none, numbersOf, bytesOf, outlierFlag, titlesOf } from "./data";
import { capital, nounsOf } from "./nouns";

export interface Topic {
  index: number;
  data: NodeData;
  parent: Topic | null;
  children: Topic[];
  depth: number;
  leaves: Topic[]; // below it in the order of the tree; itself for a leaf
}

export interface Model {
  data: PageData;
  isText: boolean;
  topics: Topic[]; // in the order of the data
  root: Topic;
  leaf: Uint16Array;
  second: Uint16Array;
  weight: Uint8Array;
  secondWeight: Uint8Array;
  flags: Uint8Array;
  stability: Uint8Array | null;
  label: Uint16Array | null;
  time: Uint16Array | null;
  titles: (string | null)[];
  texts: Map<number, string>;
  byLeaf: Uint32Array[]; // documents of each leaf, its own first by weight
  outliers: number[];
  unplaced: number[];
}

export function modelOf(data: PageData): Model {
  const topics: Topic[] = [];
  for (const [index, node] of data.nodes.entries()) {
    const parent = node.parent < 0 ? null : topics[node.parent]!;
    const topic = { index, data: node, parent, children: [], depth: parent ? parent.depth + 1 : 0, leaves: [] };
    parent?.children.push(topic);
    topics.push(topic);
  }
  for (const topic of [...topics].reverse())
    topic.leaves = topic.children.length ? topic.children.flatMap((child) => child.leaves) : [topic];
  const { documents } = data;
  const model: Model = {
    data,
    isText: (data.items ?? "document") === "document",
    topics,
    root: topics[0]!,
    leaf: numbersOf(documents.leaf),
    second: numbersOf(documents.second),
    weight: bytesOf(documents.weight),
    secondWeight: bytesOf(documents.second_weight),
    flags: bytesOf(documents.flags),
    stability: documents.stability === undefined ? null : bytesOf(documents.stability),
    label: documents.label === undefined ? null : numbersOf(documents.label),
    time: documents.time === undefined ? null : numbersOf(documents.time),
    titles: titlesOf(documents),
    texts: new Map(data.texts),
    byLeaf: [],
    outliers: [],
    unplaced: [],
  };
  const lists: number[][] = topics.map(() => []);
  for (let d = 0; d < documents.inside; ++d) {
    const leaf = model.leaf[d]!;
    if (leaf === none) {
      model.unplaced.push(d);
      continue;
    }
    lists[leaf]!.push(d);
    if (model.flags[d]! & outlierFlag) model.outliers.push(d);
  }
  model.byLeaf = lists.map((list) => Uint32Array.from(list.sort((a, b) => model.weight[b]! - model.weight[a]!)));
  return model;
}

// The documents below a topic: its representatives, then the others by weight.
export function documentsOf(model: Model, topic: Topic): number[] {
  const first = new Set(topic.data.documents);
  const others = topic.leaves.flatMap((leaf) => Array.from(model.byLeaf[leaf.index]!)).filter((d) => !first.has(d));
  if (topic.leaves.length > 1) others.sort((a, b) => model.weight[b]! - model.weight[a]!);
  return [...first, ...others];
}

export const isDuplicate = (model: Model, document: number) => (model.flags[document]! & duplicateFlag) !== 0;

export function titleOf(model: Model, document: number): string {
  return model.titles[document] ?? `${capital(nounsOf(model).item)} ${document + 1}`;
}

// A topic by what it is called, else by its first words.
export function nameOf(model: Model, topic: Topic, words = 3): string {
  if (topic.data.name || topic.data.label) return topic.data.name || topic.data.label!;
  if (!topic.parent) return `All ${nounsOf(model).items}`;
  const first = topic.data.words.slice(0, words).map((w) => model.data.words[w]);
  return first.length ? first.join(" · ") : `${capital(nounsOf(model).group)} ${topic.data.id}`;
}

// "1x3.2" is short for "1.1.1.2": see copse/tree/ids.h.
export const fullId = (id: string) =>
  id.replace(/\b([12])x(\d+)\b/g, (_, step: string, count: string) => Array(Number(count)).fill(step).join("."));

// The colour of a name says how sure the topic is, where that was measured.
export const sureness = (topic: Topic) =>
  typeof topic.data.stability === "number" ? { class: "measured", style: `--stability: ${topic.data.stability}` } : {};

export function pathTo(topic: Topic): Topic[] {
  return topic.parent ? [...pathTo(topic.parent), topic] : [topic];
}

export const wholeNumber = (value: number) => value.toLocaleString("en");

export function percent(share: number): string {
  const value = 100 * share;
  if (value > 0 && value < 0.1) return "< 0.1 %";
  return `${value.toLocaleString("en", { maximumFractionDigits: value < 10 ? 1 : 0 })} %`;
}

export const count = (n: number, one: string, many = `${one}s`) => `${wholeNumber(n)} ${n === 1 ? one : many}`;
