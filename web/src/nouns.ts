// What the page calls an item, a cluster of items and a feature: documents have topics and words, nodes have communities.
import type { PageData } from "./data";
import { count } from "./model";

export interface Nouns {
  item: string;
  items: string;
  group: string;
  groups: string;
  feature: string;
  features: string;
  search: string;
}

const nouns: Record<NonNullable<PageData["items"]>, Nouns> = {
  document: { item: "document", items: "documents", group: "topic", groups: "topics", feature: "word", features: "words", search: "Search words and titles" },
  node: { item: "node", items: "nodes", group: "community", groups: "communities", feature: "node", features: "central nodes", search: "Search nodes" },
  item: { item: "item", items: "items", group: "cluster", groups: "clusters", feature: "feature", features: "features", search: "Search features and items" },
};

interface OfData {
  data: PageData;
}

export const nounsOf = ({ data }: OfData): Nouns => nouns[data.items ?? "document"];
export const items = (model: OfData, n: number) => count(n, nounsOf(model).item, nounsOf(model).items);
export const groups = (model: OfData, n: number) => count(n, nounsOf(model).group, nounsOf(model).groups);
export const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1);
