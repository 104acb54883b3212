import { describe, expect, it } from "vitest";
import { sample } from "../tests/sample";
import { bytesOf, numbersOf, titlesOf } from "./data";

describe("packed data", () => {
  it("are read as little-endian numbers", () => {
    expect([...bytesOf("AAH/")]).toEqual([0, 1, 255]);
    expect([...numbersOf("AQD/AAAB//8=")]).toEqual([1, 255, 256, 65535]);
    expect([...numbersOf("")]).toEqual([]);
  });

  it("have the titles at the documents whose bits are set", () => {
    const { documents } = sample({ documents: 10 });
    const titled = Buffer.from([0b00000101, 0b00000010]).toString("base64"); // documents 0, 2 and 9
    expect(titlesOf({ ...documents, titles: ["a", "b", "c"], titled })).toEqual([
      "a",
      null,
      "b",
      ...Array.from({ length: 6 }, () => null),
      "c",
    ]);
    expect(titlesOf(documents)).toHaveLength(10);
  });
});
