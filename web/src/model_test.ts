import { describe, expect, it } from "vitest";
import { sample } from "../tests/sample";
import { excerptOf } from "./document_view";
import { branchesOf, layoutOf } from "./layout";
import { patternOf } from "./marks";
import { documentsOf, fullId, modelOf, nameOf, percent, sureness } from "./model";
import { drawPoints } from "./points";
import { Search, plain } from "./search";

const model = modelOf(sample({ documents: 3000, leaves: 8 }));

describe("ids", () => {
  it("are short for a way from the root", () => {
    expect(fullId("1x3.2")).toBe("1.1.1.2");
    expect(fullId("2.1x10.2x3")).toBe(["2", ...Array(10).fill("1"), "2", "2", "2"].join("."));
    for (const id of ["", "12", "1.2", "3x2", "outliers", "plan1x3"]) expect(fullId(id)).toBe(id);
  });
});

describe("the model", () => {
  it("puts every document in one place", () => {
    const placed = model.byLeaf.reduce((sum, list) => sum + list.length, 0);
    expect(placed + model.unplaced.length).toBe(3000);
    for (const topic of model.topics) expect(documentsOf(model, topic)).toHaveLength(topic.data.size);
  });

  it("has the leaves of a node in the order of the tree", () => {
    expect(model.root.leaves.map((leaf) => leaf.data.id)).toEqual(
      ["1.1.1", "1.1.2", "1.2.1", "1.2.2", "2.1.1", "2.1.2", "2.2.1", "2.2.2"], // eight leaves, halved three times
    );
  });

  it("lists the representatives first, then by weight", () => {
    const topic = model.topics[1]!;
    const documents = documentsOf(model, topic);
    expect(documents.slice(0, 10)).toEqual(topic.data.documents);
    const weights = documents.slice(10).map((d) => model.weight[d]!);
    expect(weights).toEqual([...weights].sort((a, b) => b - a));
  });
});

describe("names", () => {
  it("are those given, else those found, else the first words", () => {
    const topic = (data: object) => ({ ...model.topics[1]!, data: { ...model.topics[1]!.data, ...data } });
    const words = model.topics[1]!.data.words.slice(0, 2).map((w) => model.data.words[w]);
    expect(nameOf(model, topic({ name: "given", label: "found" }))).toBe("given");
    expect(nameOf(model, topic({ label: "found" }))).toBe("found");
    expect(nameOf(model, topic({}), 2)).toBe(words.join(" · "));
  });

  it("are coloured only where stability was measured", () => {
    const topic = (stability: number | null) => ({ ...model.topics[1]!, data: { ...model.topics[1]!.data, stability } });
    expect(sureness(topic(0.5))).toEqual({ class: "measured", style: "--stability: 0.5" });
    expect(sureness(topic(0))).toEqual({ class: "measured", style: "--stability: 0" });
    expect(sureness(topic(null))).toEqual({});
  });
});

describe("the map", () => {
  const layout = layoutOf(model);

  it("packs circles that do not overlap, with areas as the sizes", () => {
    for (const [i, a] of layout.leaves.entries()) {
      expect(a.r ** 2).toBeCloseTo(a.topic.data.size, 6);
      for (const b of layout.leaves.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(a.r + b.r);
      expect(Math.hypot(a.x, a.y) + a.r).toBeLessThan(layout.radius * 1.0001);
    }
  });

  it("has a place for every placed document, nearest to its own topic when it is sure", () => {
    expect(layout.x.filter(Number.isNaN)).toHaveLength(model.unplaced.length);
    for (const circle of layout.leaves) {
      const surest = model.byLeaf[circle.topic.index]![0]!;
      expect(Math.hypot(layout.x[surest]! - circle.x, layout.y[surest]! - circle.y)).toBeLessThan(circle.r / 2);
    }
  });

  it("cuts the tree into branches that hold every leaf once", () => {
    const leaves = branchesOf(model.root).flatMap((branch) => branch.leaves);
    expect(new Set(leaves)).toEqual(new Set(model.root.leaves));
    expect(leaves).toHaveLength(model.root.leaves.length);
  });

  it("draws a disc where a point is, and nothing for one outside", () => {
    const pixels = new Uint32Array(100);
    const x = Float32Array.from([5, 1000, NaN]);
    drawPoints(pixels, 10, 10, x, x, Uint32Array.from([0x112233, 1, 2]), { x: 0, y: 0, k: 1 }, 1);
    const drawn = [...pixels.entries()].filter(([, pixel]) => pixel).map(([at]) => at);
    expect(drawn).toContain(55);
    expect(drawn.every((at) => Math.abs((at % 10) - 5) <= 1 && Math.abs(Math.floor(at / 10) - 5) <= 1)).toBe(true);
    expect(pixels[55]! & 0xffffff).toBe(0x112233);
  });
});

describe("search", () => {
  const titles = ["Café culture", "A decaf life", "Life of cafes", "音乐会", "שלום עולם", "Straße 🎻"];
  const small = modelOf(sample({ documents: 6, titles: (d) => titles[d]! }));
  const search = new Search(small);
  const found = (query: string) => search.find(query).documents;

  it("finds where a word begins, whatever the accents", () => {
    expect(found("cafe")).toEqual([0, 2]);
    expect(found("CAFÉ")).toEqual([0, 2]);
  });
  it("wants every word", () => expect(found("life caf")).toEqual([2]));
  it("finds scripts without spaces, right-to-left text and emoji", () => {
    expect(found("乐会")).toEqual([3]);
    expect(found("עולם")).toEqual([4]);
    expect(found("🎻")).toEqual([5]);
  });
  it("finds nothing for nothing", () => expect(search.find("  ")).toEqual({ topics: [], documents: [] }));
  it("finds topics by their words, those with the word first among them", () => {
    const { topics } = new Search(model).find("telescope");
    expect(topics.length).toBeGreaterThan(1);
    expect(topics.every((t) => t.data.words.some((w) => model.data.words[w] === "telescope"))).toBe(true);
  });
  it("folds as a reader would", () => expect(plain("ÅNGSTRÖM ﬁ")).toBe("angstrom fi"));
});

describe("texts", () => {
  it("are cut between characters, near the first word that matters", () => {
    const text = `${"🎻".repeat(200)} ${"x ".repeat(500)}violin ${"y ".repeat(300)}`;
    const excerpt = excerptOf(text, patternOf(["violin"]));
    expect(excerpt).toContain("violin");
    expect(excerpt.startsWith("… ")).toBe(true);
    expect(excerptOf("🎻".repeat(1000), null)).toBe(`${"🎻".repeat(320)} …`);
    expect(excerptOf("short", null)).toBe("short");
  });
  it("give small shares honestly", () => {
    expect(percent(0)).toBe("0 %");
    expect(percent(0.0001)).toBe("< 0.1 %");
    expect(percent(0.034)).toBe("3.4 %");
    expect(percent(0.5)).toBe("50 %");
  });
});
