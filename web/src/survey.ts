// How k was chosen: what result.json says under "survey", and the shapes that are drawn from it.

export interface SurveyRow {
  k: number;
  runs: number;
  failed: number;
  prediction_strength?: number;
  prediction_strength_deviation?: number;
  null_strength?: number;
  null_strength_deviation?: number;
  shuffled_strength?: number;
  shuffled_strength_deviation?: number;
  p_value?: number;
  recurrence?: number;
  recurrence_deviation?: number;
  null_recurrence?: number;
  null_recurrence_deviation?: number;
  shuffled_recurrence?: number;
  shuffled_recurrence_deviation?: number;
  recurrence_p_value?: number;
  resampled_dispersion?: number;
  resampled_cophenetic?: number;
  silhouette?: number;
  silhouettes?: number[];
  perturbed_silhouette?: number;
  perturbed_silhouettes?: number[];
  hidden_error?: number;
  hidden_error_deviation?: number;
  relative_error?: number;
}

export interface SurveyData {
  question: "clusters" | "components";
  k: number;
  sentence: string;
  sure: number;
  possible: number[];
  choices: { measure: string; answers: "clusters" | "components"; k: number }[];
  runs: { planned: number; done: number };
  rows: SurveyRow[];
  flows: { from: number; to: number; counts: number[][] }[];
  consensus: { k: number; items: number[]; clusters: number[]; lines: string[] } | null;
  // Cosines, 0 to 1, of each topic of the result with what is nearest to it at every k; null: not known.
  persistence?: { ks: number[]; topics: string[]; values: (number | null)[][] } | null;
}

// A letter of consensus.lines as a share: 0 ... 9, a ... z for 0 ... 1.
export const shareOf = (letter: string) => parseInt(letter, 36) / 35;

// White to deep green, by way of yellow.
export const heat = (share: number): [number, number, number] => [255 - 209 * share ** 1.5, 255 - 148 * share ** 2, 235 - 159 * Math.sqrt(share)];

// ".87", "1.00"; "?" where it is not known.
export const cosineText = (value: number | null) => (value === null ? "?" : value.toFixed(2).replace(/^0/, ""));

export interface Curve {
  name: string;
  kind: string; // a class of the style sheet
  points: { k: number; value: number; deviation: number }[];
}

// The rows that have the measure, with its deviation where there is one.
export function curveOf(data: SurveyData, measure: keyof SurveyRow, name: string, kind: string): Curve {
  const points = data.rows.flatMap((row) => {
    const value = row[measure];
    const deviation = row[`${measure}_deviation` as keyof SurveyRow];
    return typeof value === "number" ? [{ k: row.k, value, deviation: typeof deviation === "number" ? deviation : 0 }] : [];
  });
  return { name, kind, points };
}

export interface Bar {
  column: number;
  cluster: number;
  k: number;
  size: number;
  top: number; // 0 ... 1
  bottom: number;
}
export interface Ribbon {
  from: Bar;
  to: Bar;
  size: number;
  fromTop: number;
  fromBottom: number;
  toTop: number;
  toBottom: number;
}

// Clusters as bars in one column for each k, and ribbons for the items that go from one to the other. All columns are
// as high as the items are many; `gap` of the height lies between two bars.
export function alluvial(flows: SurveyData["flows"], gap = 0.02): { bars: Bar[][]; ribbons: Ribbon[] } {
  const bars: Bar[][] = [];
  const ribbons: Ribbon[] = [];
  if (!flows.length) return { bars, ribbons };
  const sizes = [flows[0]!.counts.map((row) => row.reduce((a, b) => a + b, 0))];
  for (const flow of flows) sizes.push(Array.from({ length: flow.to }, (_, b) => flow.counts.reduce((sum, row) => sum + row[b]!, 0)));
  for (const [column, list] of sizes.entries()) {
    const total = Math.max(1, list.reduce((a, b) => a + b, 0));
    const scale = (1 - gap * (list.length - 1)) / total;
    let top = 0;
    bars.push(
      list.map((size, cluster) => {
        const bar = { column, cluster, k: list.length, size, top, bottom: top + size * scale };
        top = bar.bottom + gap;
        return bar;
      }),
    );
  }
  for (const [f, flow] of flows.entries()) {
    const left = bars[f]!.map((bar) => bar.top);
    const right = bars[f + 1]!.map((bar) => bar.top);
    for (const [a, row] of flow.counts.entries()) {
      for (const [b, size] of row.entries()) {
        if (!size) continue;
        const [from, to] = [bars[f]![a]!, bars[f + 1]![b]!];
        const fromBottom = left[a]! + (size / Math.max(1, from.size)) * (from.bottom - from.top);
        const toBottom = right[b]! + (size / Math.max(1, to.size)) * (to.bottom - to.top);
        ribbons.push({ from, to, size, fromTop: left[a]!, fromBottom, toTop: right[b]!, toBottom });
        [left[a], right[b]] = [fromBottom, toBottom];
      }
    }
  }
  return { bars, ribbons };
}
