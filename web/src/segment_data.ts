// What copse/report/segment_report.cpp writes into the page of a picture, and what its pixels mean.

export interface SegmentFacts {
  segment: number;
  pixels: number;
  share: number;
  colour: [number, number, number];
  centre: [number, number];
}

export interface SegmentPageData {
  format: 1;
  kind: "segmentation";
  title: string;
  command: string;
  settings: Record<string, string | number | boolean | null>;
  facts: [string, string][];
  notes: string[];
  picture: { width: number; height: number; working_width: number; working_height: number };
  levels: number[]; // segments of each segmentation
  segments: SegmentFacts[]; // of the one that the run chose
  pictures: { picture: string; overlay: string; segments: string; boundaries: string }; // data URIs
  level_labels: string[]; // data URIs of the labels of every segmentation, or none
}

// The level that the run chose: the first with as many segments.
export function chosenLevel(data: SegmentPageData): number {
  return Math.max(0, data.levels.indexOf(data.segments.length));
}

export interface LevelFacts {
  label: number;
  pixels: number;
  colour: [number, number, number];
}

// Sizes and mean colours of the segments of a level, the largest first. `labels` has one number a pixel and `colours`
// four bytes.
export function factsOf(labels: Uint8Array, colours: Uint8ClampedArray): LevelFacts[] {
  const sums = new Map<number, [number, number, number, number]>();
  labels.forEach((label, p) => {
    const sum = sums.get(label) ?? [0, 0, 0, 0];
    sum[0] += 1;
    for (let c = 0; c < 3; ++c) sum[c + 1]! += colours[4 * p + c]!;
    sums.set(label, sum);
  });
  return [...sums]
    .map(([label, [n, r, g, b]]): LevelFacts => ({ label, pixels: n, colour: [Math.round(r / n), Math.round(g / n), Math.round(b / n)] }))
    .sort((a, b) => b.pixels - a.pixels || a.label - b.label);
}

// Whether a pixel touches another segment.
export function isEdge(labels: Uint8Array, width: number, p: number): boolean {
  const x = p % width;
  const here = labels[p];
  return (
    (x > 0 && labels[p - 1] !== here) ||
    (x + 1 < width && labels[p + 1] !== here) ||
    (p >= width && labels[p - width] !== here) ||
    (p + width < labels.length && labels[p + width] !== here)
  );
}
