import { describe, expect, it } from "vitest";
import { sample } from "../tests/sample";
import { rankedWords } from "./relevance";

const data = { ...sample(), words: ["common", "rare", "middling"], shares: [0.5, 0.01, 0.1] };
const node = { ...data.nodes[1]!, words: [0, 1, 2], weights: [4, 1, 2] };
const order = (lambda: number) => rankedWords(data, node, lambda, 10).map(({ word }) => word);

describe("the order of words", () => {
  it("is that of the weights at 1", () => expect(order(1)).toEqual([0, 2, 1]));

  it("is that of lift at 0", () => expect(order(0)).toEqual([1, 2, 0])); // 4 / 0.5, 1 / 0.01, 2 / 0.1

  it("follows the formula in between", () => {
    for (const lambda of [0.2, 0.4, 0.6, 0.8]) {
      const relevance = [0, 1, 2].map(
        (i) =>
          lambda * Math.log(node.weights[i]! / 7) + (1 - lambda) * Math.log(node.weights[i]! / 7 / data.shares[i]!),
      );
      expect(order(lambda)).toEqual([0, 1, 2].sort((a, b) => relevance[b]! - relevance[a]!));
    }
  });

  it("does not depend on the scale of the weights", () => {
    const scaled = { ...node, weights: node.weights.map((w) => 1000 * w) };
    for (const lambda of [0, 0.5, 1])
      expect(rankedWords(data, scaled, lambda, 10).map(({ word }) => word)).toEqual(order(lambda));
  });

  it("leaves out words without weight, and takes a share of zero as unknown", () => {
    const odd = { ...data, shares: [0, 0.01, 0.1] };
    expect(rankedWords(odd, { ...node, weights: [4, 0, 2] }, 0, 10).map(({ word }) => word)).toEqual([2, 0]);
  });
});
