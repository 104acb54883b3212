// The order of a topic's words. Sievert and Shirley (2014), eq. 1:
// relevance = lambda log p(word | topic) + (1 - lambda) log(p(word | topic) / p(word)).
import type { NodeData, PageData } from "./data";

export interface RankedWord {
  word: number;
  weight: number; // in the topic, as a share of the topic's largest
  share: number; // of all documents that hold it
}

// The scales of weights and shares add the same to every word, so they do not matter for the order.
export function rankedWords(data: PageData, node: NodeData, lambda: number, limit: number): RankedWord[] {
  const largest = Math.max(...node.weights);
  const ranked = node.words.map((word, i) => {
    const weight = node.weights[i]!;
    const share = data.shares[word]!;
    const relevance = Math.log(weight) - (1 - lambda) * Math.log(share > 0 ? share : 1);
    return { word, weight: weight / largest, share, relevance };
  });
  return ranked
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.relevance - a.relevance)
    .slice(0, limit);
}
