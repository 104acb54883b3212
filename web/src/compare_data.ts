// What copse/report/compare_report.cpp writes into the page, and what follows from it.
import { none, numbersOf, type PageData } from "./data";

export interface Measures {
  accuracy: number;
  nmi: number;
  ari: number;
  purity: number;
}

export interface MethodData {
  method: string;
  k: number;
  given?: boolean; // labels of another program
  failure?: string; // a sentence; then nothing below is there
  left_out?: boolean;
  estimated_seconds?: number;
  clusters?: number;
  runs?: number;
  iterations?: number;
  seconds?: number; // of all runs
  objective?: number;
  peak_memory_bytes?: number;
  measures?: Measures;
  mean_accuracy?: number;
  mean_nmi?: number;
  coherence?: number;
  zero_share?: number;
  silhouette?: number;
  stability?: number;
  labels?: string; // base64 of 16-bit numbers, of the items inside; 65535: none
  words?: string[][]; // per cluster, best first
}

export interface ComparePageData extends Pick<PageData, "title" | "command" | "settings" | "facts" | "notes"> {
  format: 1;
  kind: "comparison";
  items: number;
  titles: string[]; // of the items inside: all, or an even sample
  methods: MethodData[];
  agreement: (number | null)[][]; // NMI of every pair of methods
}

export interface Column {
  name: string;
  title: string; // what it says, as a sentence
  value: (method: MethodData) => number | undefined;
  text: (value: number) => string;
  best: "largest" | "smallest" | null;
}

const three = (value: number) => value.toFixed(3);
export const seconds = (value: number) =>
  value < 0.995 ? `${value.toFixed(2)} s` : value < 99.5 ? `${value.toFixed(1)} s` : `${(value / 60).toFixed(1)} min`;
export const bytes = (value: number) => (value < 1e9 ? `${(value / 1e6).toFixed(0)} MB` : `${(value / 1e9).toFixed(1)} GB`);

const all: Column[] = [
  { name: "Accuracy", title: "Share of items in the class that their cluster is matched with", value: (m) => m.measures?.accuracy, text: three, best: "largest" },
  { name: "NMI", title: "Normalized mutual information with the classes", value: (m) => m.measures?.nmi, text: three, best: "largest" },
  { name: "ARI", title: "Adjusted Rand index with the classes", value: (m) => m.measures?.ari, text: three, best: "largest" },
  { name: "Purity", title: "Share of items in the main class of their cluster", value: (m) => m.measures?.purity, text: three, best: "largest" },
  { name: "Coherence", title: "Do the best words of a cluster occur together? The mean over the clusters; nearer to zero is better", value: (m) => m.coherence, text: (v) => v.toFixed(1), best: "largest" },
  { name: "Silhouette", title: "Are items nearer to their own cluster than to the next? The mean over the items", value: (m) => m.silhouette, text: three, best: "largest" },
  { name: "Stability", title: "Mean NMI of every pair of runs", value: (m) => m.stability, text: three, best: "largest" },
  { name: "Zeros", title: "Share of zeros among the weights of the items, of methods with soft weights", value: (m) => m.zero_share, text: (v) => v.toFixed(2), best: null },
  { name: "Time", title: "Of all runs", value: (m) => m.seconds, text: seconds, best: "smallest" },
  { name: "Memory", title: "Peak of the method's process, the data among it", value: (m) => m.peak_memory_bytes, text: bytes, best: "smallest" },
];

// Those that a method has a value for.
export const columnsOf = (methods: MethodData[]): Column[] => all.filter((column) => methods.some((m) => column.value(m) !== undefined));

export function bestOf(column: Column, methods: MethodData[]): number | undefined {
  if (column.best === null) return undefined;
  const values = methods.filter((m) => !m.given || column.best === "largest").flatMap((m) => column.value(m) ?? []);
  if (values.length < 2) return undefined;
  return column.best === "largest" ? Math.max(...values) : Math.min(...values);
}

export const nameOf = (method: MethodData, several: boolean) =>
  method.given || !several ? method.method : `${method.method}, k = ${method.k}`;

// Items in cluster a of one method and b of another; rows and columns -1: no cluster.
export interface Cell {
  a: number;
  b: number;
  items: number[]; // positions among those inside
}

export interface Crossing {
  rows: number[]; // clusters of the first method, largest first
  columns: number[]; // of the second, so that large cells lie near the diagonal
  cells: Map<string, Cell>;
  apart: Cell[]; // beside the matched pairs, largest first
  sizes: [Map<number, number>, Map<number, number>];
}

const cluster = (label: number) => (label === none ? -1 : label);

export function crossingOf(first: MethodData, second: MethodData): Crossing {
  const a = numbersOf(first.labels ?? ""), b = numbersOf(second.labels ?? "");
  const cells = new Map<string, Cell>();
  const sizes: [Map<number, number>, Map<number, number>] = [new Map(), new Map()];
  for (let i = 0; i < Math.min(a.length, b.length); ++i) {
    const [x, y] = [cluster(a[i]!), cluster(b[i]!)];
    sizes[0].set(x, (sizes[0].get(x) ?? 0) + 1);
    sizes[1].set(y, (sizes[1].get(y) ?? 0) + 1);
    const key = `${x} ${y}`;
    const cell = cells.get(key);
    if (cell) cell.items.push(i);
    else cells.set(key, { a: x, b: y, items: [i] });
  }
  const bySize = (map: Map<number, number>) => [...map.keys()].sort((x, y) => map.get(y)! - map.get(x)! || x - y);
  const ranked = [...cells.values()].sort((x, y) => y.items.length - x.items.length || x.a - y.a || x.b - y.b);
  // One to one, the largest overlap first.
  const partner = new Map<number, number>();
  const taken = new Set<number>();
  for (const cell of ranked) {
    if (partner.has(cell.a) || taken.has(cell.b)) continue;
    partner.set(cell.a, cell.b);
    taken.add(cell.b);
  }
  const rows = bySize(sizes[0]);
  const columns = rows.flatMap((row) => (partner.has(row) ? [partner.get(row)!] : []));
  for (const column of bySize(sizes[1])) if (!taken.has(column)) columns.push(column);
  return { rows, columns, cells, apart: ranked.filter((cell) => partner.get(cell.a) !== cell.b), sizes };
}

// The pair that agrees least, among those with the same k where there is one.
export function mostDifferent(data: ComparePageData): [number, number] | null {
  let best: [number, number] | null = null, least = Infinity;
  data.agreement.forEach((row, i) =>
    row.forEach((value, j) => {
      if (j >= i || value === null || data.methods[i]!.labels === undefined || data.methods[j]!.labels === undefined) return;
      const other = data.methods[i]!.k === data.methods[j]!.k ? 0 : 2;
      if (value + other < least) [best, least] = [[j, i], value + other];
    }),
  );
  return best;
}
