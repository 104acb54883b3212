import { describe, expect, it } from "vitest";
import { type SegmentPageData, chosenLevel, factsOf, isEdge } from "./segment_data";

describe("segments of a picture", () => {
  it("counts pixels and takes mean colours, the largest first", () => {
    const labels = Uint8Array.from([0, 1, 1, 1]);
    const colours = Uint8ClampedArray.from([10, 20, 30, 255, 0, 0, 0, 255, 3, 6, 9, 255, 6, 12, 18, 255]);
    expect(factsOf(labels, colours)).toEqual([
      { label: 1, pixels: 3, colour: [3, 6, 9] },
      { label: 0, pixels: 1, colour: [10, 20, 30] },
    ]);
  });

  it("sees edges to all four sides, and none across the border of the picture", () => {
    // 0 0 1
    // 0 0 1
    const labels = Uint8Array.from([0, 0, 1, 0, 0, 1]);
    expect([0, 1, 2, 3, 4, 5].map((p) => isEdge(labels, 3, p))).toEqual([false, true, true, false, true, true]);
  });

  it("starts at the level that the run chose", () => {
    const data = { levels: [2, 3, 4], segments: [{}, {}, {}] } as unknown as SegmentPageData;
    expect(chosenLevel(data)).toBe(1);
    expect(chosenLevel({ ...data, levels: [7] })).toBe(0);
  });
});
