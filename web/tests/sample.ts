// Makes reports to test with: planted topics, documents with words from them, and whatever a test wants to be wrong.
import { readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type DocumentsData, type NodeData, type PageData, none } from "../src/data";

export interface SampleOptions {
  documents?: number;
  leaves?: number; // 8 at most have words of their own
  labels?: boolean;
  times?: boolean;
  flat?: boolean;
  titles?: (d: number) => string;
  text?: string; // of document 0
}

const themes: [string, string][] = [
  ["Astronomy", "orbit telescope comet planet lunar galaxy shuttle launch satellite observatory stellar probe"],
  ["Gardening", "soil seedling compost prune orchard mulch perennial harvest greenhouse pollen root bulb"],
  ["Cycling", "gear saddle pedal chain brake peloton sprint wheel rider climb tyre frame"],
  ["Cooking", "simmer garlic oven butter recipe flour roast broth saffron whisk dough season"],
  ["Sailing", "mast rudder harbour keel tide anchor regatta sail knot hull jib compass"],
  ["Music", "melody chord violin tempo quartet rhythm cello score opera harmony choir sonata"],
  ["Medicine", "patient dose clinic symptom vaccine trial nurse diagnosis therapy tumour chronic surgeon"],
  ["Chess", "pawn bishop gambit endgame castle rook opening blunder tournament queen knight draw"],
];
const common = ["time", "people", "year", "work", "water", "day"];

// Marsaglia's xorshift: the same report at every run.
export function random(seed: number): () => number {
  let state = seed || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

const base64 = (array: Uint16Array | Uint8Array) => Buffer.from(array.buffer).toString("base64");

// A binary tree over the leaves: always the first node with the most leaves is halved. Ids are ways from the root.
function tree(leaves: number, flat: boolean): { parent: number; id: string; span: [number, number] }[] {
  const nodes = [{ parent: -1, id: "", span: [0, leaves] as [number, number] }];
  for (let n = 0; n < nodes.length; ++n) {
    const { id, span } = nodes[n]!;
    const [first, end] = span;
    if (end - first < 2 || (flat && n > 0)) continue;
    const middle = Math.ceil((first + end) / 2);
    const spans: [number, number][] = flat
      ? Array.from({ length: leaves }, (_, i) => [i, i + 1])
      : [
          [first, middle],
          [middle, end],
        ];
    for (const [i, child] of spans.entries()) nodes.push({ parent: n, id: id ? `${id}.${i + 1}` : `${i + 1}`, span: child });
  }
  return nodes;
}

export function sample(options: SampleOptions = {}): PageData {
  const { documents: total = 400, leaves = 8, labels = true, times = true, flat = false } = options;
  const draw = random(7);
  const words = [...new Set([...themes.flatMap(([, list]) => list.split(" ")), ...common])];
  const shares = words.map((word) => (common.includes(word) ? 0.4 : 0.02 + 0.05 * draw()));
  const number = (word: string) => words.indexOf(word);
  const shape = tree(leaves, flat);
  const leafNodes = shape.flatMap(({ span }, n) => (span[1] - span[0] === 1 ? [{ n, leaf: span[0] }] : []));
  const nodeOfLeaf = leafNodes.sort((a, b) => a.leaf - b.leaf).map(({ n }) => n);
  const periods = Array.from({ length: 12 }, (_, i) => String(2012 + i));

  const leaf = new Uint16Array(total);
  const second = new Uint16Array(total);
  const label = new Uint16Array(total);
  const time = new Uint16Array(total);
  const weight = new Uint8Array(total);
  const secondWeight = new Uint8Array(total);
  const flags = new Uint8Array(total);
  const nodes = shape.map(
    ({ parent, id, span }): NodeData => ({
      id,
      parent,
      name: "",
      score: span[1] - span[0] > 1 ? 0.5 : -1,
      coherence: id ? -1 - draw() : null,
      size: 0,
      words: [],
      weights: [],
      documents: [],
      ...(labels && { labels: [] }),
      ...(times && { times: periods.map(() => 0) }),
    }),
  );
  const counts = nodes.map(() => new Map<number, number>());
  const titles: string[] = [];
  const texts: [number, string][] = [];
  for (let d = 0; d < total; ++d) {
    const own = Math.floor(leaves * draw() ** 1.6);
    const other = (own + 1 + Math.floor((leaves - 1) * draw())) % leaves;
    leaf[d] = nodeOfLeaf[own]!;
    second[d] = leaves > 1 ? nodeOfLeaf[other]! : none;
    weight[d] = 110 + 140 * draw();
    secondWeight[d] = (255 - weight[d]!) * draw();
    label[d] = draw() < 0.8 ? own % themes.length : Math.floor(themes.length * draw());
    time[d] = Math.min(11, Math.floor(12 * (draw() + draw() * (own / leaves))) % 12);
    flags[d] = (draw() < 0.03 ? 1 : 0) | (draw() < 0.02 ? 2 : 0);
    const list = themes[own % themes.length]![1].split(" ");
    const word = () => (draw() < 0.35 ? common[Math.floor(common.length * draw())]! : list[Math.floor(list.length * draw() ** 1.5)]!);
    titles.push(options.titles?.(d) ?? `The ${word()} and the ${word()}, no. ${d}`);
    if (texts.length < 60)
      texts.push([d, Array.from({ length: 90 }, (_, i) => (i % 12 === 11 ? `${word()}.` : word())).join(" ")]);
    for (let n = leaf[d]!; n >= 0; n = nodes[n]!.parent) {
      const node = nodes[n]!;
      ++node.size;
      if (node.documents.length < 10) node.documents.push(d);
      if (node.times) ++node.times[time[d]!]!;
      counts[n]!.set(label[d]!, (counts[n]!.get(label[d]!) ?? 0) + 1);
    }
  }
  if (options.text !== undefined) texts[0] = [0, options.text];
  for (const [n, node] of nodes.entries()) {
    if (node.labels) node.labels = [...counts[n]!].sort((a, b) => b[1] - a[1]).flat();
    if (n === 0) continue;
    const [first, end] = shape[n]!.span;
    const own = Array.from({ length: end - first }, (_, i) => themes[(first + i) % themes.length]![1].split(" "));
    const ranked = own[0]!.flatMap((_, rank) => own.map((list) => list[rank]!)).slice(0, 40);
    // Common words weigh much everywhere: the slider must be able to move them down.
    const all = [ranked[0]!, common[n % common.length]!, ...ranked.slice(1), common[(n + 1) % common.length]!];
    node.words = [...new Set(all)].map(number);
    node.weights = node.words.map((_, i) => 3 / (i + 1.5));
  }
  const documents: DocumentsData = {
    total,
    outliers: flags.filter((f) => f & 1).length,
    unplaced: 0,
    near_duplicates: flags.filter((f) => f & 2).length,
    inside: total,
    leaf: base64(leaf),
    second: base64(second),
    weight: base64(weight),
    second_weight: base64(secondWeight),
    flags: base64(flags),
    ...(labels && { label: base64(label) }),
    ...(times && { time: base64(time) }),
    titles,
    titled: null,
  };
  return {
    format: 1,
    title: "Letters to the editor",
    command: "copse tree letters.jsonl --leaves 8 -o out",
    settings: { leaves, seed: 1, min_count: 3, time_limit: null, stem: false },
    facts: [
      ["copse", "0.1.0"],
      ["total time", "3.2 s"],
    ],
    notes: [],
    labels: labels ? themes.map(([name]) => name) : [],
    labels_given: labels ? themes.length : 0,
    times: times ? periods : [],
    nodes,
    words,
    shares,
    forms: [],
    documents,
    texts,
    texts_given: texts.length,
  };
}

let pages = 0;

// Writes the built page with these data as copse does; its address.
export function pageWith(data: object): string {
  const html = readFileSync(new URL("../dist/index.html", import.meta.url), "utf8");
  const json = JSON.stringify(data).replaceAll("<", "\\u003c");
  const file = join(tmpdir(), `copse-page-${process.pid}-${++pages}.html`);
  writeFileSync(file, html.replace('"@copse-data@"', () => json));
  return pathToFileURL(file).href;
}
