// What copse/report/page.cpp writes into the page, and how the packed parts are read.
import type { SurveyData } from "./survey";

export interface NodeData {
  id: string; // "1.2.1"; "" for the root
  parent: number; // position among the nodes, before the node's own; -1 for the root
  name: string; // given by a person, or empty
  label?: string; // what it is called: the given name, or else a few terms; empty: its first words
  score: number | null;
  coherence: number | null;
  stability?: number | null; // 0 to 1: the share of its pairs that stay together in subsamples
  size: number; // documents below it
  words: number[]; // positions in PageData.words, best first
  weights: number[]; // of these words in the topic, on any scale
  documents: number[]; // representative ones, as positions among those inside
  labels?: number[]; // label, count, label, count ... commonest first
  times?: number[]; // documents in each period
}

export interface DocumentsData {
  total: number;
  outliers: number;
  unplaced: number;
  near_duplicates: number;
  inside: number; // how many of them have a place in the arrays below: all, or an even sample
  leaf: string; // base64 of 16-bit numbers; 65535: none
  second: string;
  weight: string; // base64 of bytes: 255 times a share
  second_weight: string;
  flags: string; // base64 of bytes: 1 outlier, 2 near-duplicate
  stability?: string; // base64 of bytes: 200 times a share; 255: not known
  label?: string; // base64 of 16-bit numbers
  time?: string;
  titles: string[]; // of those inside, or of the ones whose bit in `titled` is set
  titled: string | null; // base64 of bits, least significant first; null: all
}

export interface PageData {
  format: 1;
  kind?: "topics"; // pages of other kinds have data of their own: see main.ts
  items?: "document" | "node" | "item"; // what they are called; documents by default
  title: string;
  command: string;
  settings: Record<string, string | number | boolean | null>;
  facts: [string, string][];
  notes: string[];
  labels: string[];
  labels_given: number;
  times: string[];
  survey?: SurveyData; // how k was chosen
  nodes: NodeData[];
  words: string[];
  shares: number[]; // of all documents that hold the word
  forms: [number, string[]][]; // what else a word stands for in the documents
  documents: DocumentsData;
  texts: [number, string][]; // position among those inside, text
  texts_given: number;
}

export const none = 65535;
export const outlierFlag = 1;
export const duplicateFlag = 2;
export const unknownStability = 255;

export function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
}

export function numbersOf(base64: string): Uint16Array {
  const bytes = bytesOf(base64);
  return Uint16Array.from({ length: bytes.length / 2 }, (_, i) => bytes[2 * i]! | (bytes[2 * i + 1]! << 8));
}

// The title of each document inside; null for those whose title was left out.
export function titlesOf(documents: DocumentsData): (string | null)[] {
  if (documents.titled === null) return documents.titles;
  const bits = bytesOf(documents.titled);
  let next = 0;
  return Array.from({ length: documents.inside }, (_, i) =>
    (bits[i >> 3]! >> (i & 7)) & 1 ? (documents.titles[next++] ?? null) : null,
  );
}
