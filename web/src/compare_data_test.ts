import { describe, expect, it } from "vitest";
import { type ComparePageData, type MethodData, bestOf, columnsOf, crossingOf, mostDifferent, seconds } from "./compare_data";

const packed = (labels: number[]) =>
  btoa(String.fromCharCode(...labels.flatMap((label) => [label < 0 ? 255 : label & 255, label < 0 ? 255 : label >> 8])));
const method = (name: string, labels: number[], more: Partial<MethodData> = {}): MethodData => ({
  method: name,
  k: 3,
  labels: packed(labels),
  ...more,
});

describe("crossingOf", () => {
  const found = crossingOf(method("a", [0, 0, 0, 1, 1, 2, -1]), method("b", [1, 1, 0, 0, 0, 0, 2]));
  it("counts the items of every pair of clusters", () => {
    expect(found.cells.get("0 1")!.items).toEqual([0, 1]);
    expect(found.cells.get("1 0")!.items).toEqual([3, 4]);
    expect(found.cells.get("-1 2")!.items).toEqual([6]);
    expect(found.cells.has("2 1")).toBe(false);
    expect([...found.cells.values()].reduce((sum, cell) => sum + cell.items.length, 0)).toBe(7);
  });
  it("puts matched clusters side by side", () => {
    expect(found.rows.slice(0, 2)).toEqual([0, 1]);
    expect(found.columns.slice(0, 2)).toEqual([1, 0]);
    expect([...found.columns].sort()).toEqual([0, 1, 2]);
  });
  it("names what lies apart", () => {
    expect(found.apart.map(({ a, b }) => [a, b])).toEqual([[0, 0], [2, 0]]);
  });
});

describe("columns", () => {
  const methods = [
    method("a", [0], { seconds: 3, silhouette: 0.2 }),
    method("b", [0], { seconds: 1, silhouette: 0.4 }),
    method("c", [0], { given: true, silhouette: 0.5 }),
  ];
  it("are those that somebody has", () => {
    expect(columnsOf(methods).map((column) => column.name)).toEqual(["Silhouette", "Time"]);
  });
  it("know their best", () => {
    const [silhouette, time] = columnsOf(methods);
    expect(bestOf(silhouette!, methods)).toBe(0.5);
    expect(bestOf(time!, methods)).toBe(1);
    expect(bestOf(time!, methods.slice(0, 1))).toBeUndefined();
  });
  it("write times", () => {
    expect([0.1, 2, 150].map(seconds)).toEqual(["0.10 s", "2.0 s", "2.5 min"]);
  });
});

describe("mostDifferent", () => {
  const data = (agreement: (number | null)[][], methods: MethodData[]) => ({ agreement, methods }) as ComparePageData;
  it("takes the pair with the least agreement and the same k", () => {
    const methods = [method("a", [0]), method("b", [0]), method("c", [0], { k: 9 })];
    expect(mostDifferent(data([[1, 0.8, 0.1], [0.8, 1, 0.2], [0.1, 0.2, 1]], methods))).toEqual([0, 1]);
  });
  it("finds none where only one has labels", () => {
    const failed: MethodData = { method: "b", k: 3, failure: "no" };
    expect(mostDifferent(data([[1, null], [null, null]], [method("a", [0]), failed]))).toBeNull();
  });
});
