import { expect, test } from "vitest";
import { alluvial, cosineText, curveOf, heat, shareOf, type SurveyData } from "./survey";

test("letters are shares", () => {
  expect(shareOf("0")).toBe(0);
  expect(shareOf("z")).toBe(1);
  expect(shareOf("h")).toBeCloseTo(17 / 35);
});

test("cosines are short, and darker the larger", () => {
  expect([null, 0, 0.804, 1].map(cosineText)).toEqual(["?", ".00", ".80", "1.00"]);
  const light = [0, 0.25, 0.5, 0.75, 1].map((share) => heat(share).reduce((a, b) => a + b, 0));
  for (let i = 1; i < light.length; ++i) expect(light[i]!).toBeLessThan(light[i - 1]!);
  expect([...heat(0), ...heat(1)].every((part) => part >= 0 && part <= 255)).toBe(true);
});

test("a curve has the rows that were measured", () => {
  const rows = [{ k: 2, prediction_strength: 0.5, prediction_strength_deviation: 0.1 }, { k: 3 }, { k: 4, prediction_strength: 1 }];
  const curve = curveOf({ rows } as unknown as SurveyData, "prediction_strength", "data", "own");
  expect(curve.points).toEqual([
    { k: 2, value: 0.5, deviation: 0.1 },
    { k: 4, value: 1, deviation: 0 },
  ]);
});

test("ribbons fill their bars and bars their columns", () => {
  const flows = [
    { from: 2, to: 3, counts: [[6, 0, 2], [0, 4, 0]] },
    { from: 3, to: 3, counts: [[6, 0, 0], [1, 3, 0], [0, 0, 2]] },
  ];
  const { bars, ribbons } = alluvial(flows, 0.01);
  expect(bars.map((column) => column.map((bar) => bar.size))).toEqual([[8, 4], [6, 4, 2], [7, 3, 2]]);
  for (const column of bars) expect(column[column.length - 1]!.bottom).toBeCloseTo(1);
  for (const bar of bars.flat()) {
    for (const [side, top, bottom] of [["from", "fromTop", "fromBottom"], ["to", "toTop", "toBottom"]] as const) {
      const own = ribbons.filter((ribbon) => ribbon[side] === bar);
      if (!own.length) continue;
      const filled = own.reduce((sum, ribbon) => sum + ribbon[bottom] - ribbon[top], 0);
      expect(filled).toBeCloseTo(bar.bottom - bar.top);
      expect(Math.min(...own.map((ribbon) => ribbon[top]))).toBeCloseTo(bar.top);
    }
  }
  expect(alluvial([])).toEqual({ bars: [], ribbons: [] });
});
