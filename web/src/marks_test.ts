import { describe, expect, it } from "vitest";
import { patternOf, segmentsOf } from "./marks";

const marked = (text: string, ...words: string[]) =>
  segmentsOf(text, patternOf(words))
    .filter((s) => s.marked)
    .map((s) => s.text);

describe("marks", () => {
  it("are whole words in either case", () => {
    expect(marked("Art, start, ART and arts", "art")).toEqual(["Art", "ART"]);
    expect(marked("Über alles, über", "über")).toEqual(["Über", "über"]);
  });

  it("reach over the space and the hyphen of a phrase", () => {
    expect(marked("New York, new-york, New\nYork, newyork", "new york")).toEqual(["New York", "new-york", "New\nYork"]);
    expect(marked("New York", "new_york")).toEqual(["New York"]);
  });

  it("prefer the longer of two", () => expect(marked("new york", "new", "new york")).toEqual(["new york"]));

  it("need no spaces where the script has none", () => expect(marked("我爱音乐会", "音乐")).toEqual(["音乐"]));

  it("are found in right-to-left text and next to emoji", () => {
    expect(marked("אני אוהב מוזיקה", "מוזיקה")).toEqual(["מוזיקה"]);
    expect(marked("🎻violin🎻", "violin")).toEqual(["violin"]);
  });

  it("take no sign of the word for a pattern", () => {
    expect(marked("e-mail </b> x", "e-mail", "</b>", "[x]{1}|(?:")).toEqual(["e-mail", "</b>"]);
    expect(marked("a.c abc c++ c+", "a.c", "c++")).toEqual(["a.c", "c++"]);
    expect(patternOf(["***", ""])).toBeNull();
  });

  it("keep every letter of the text", () => {
    const text = "one <b>two</b> three\n two";
    expect(segmentsOf(text, patternOf(["two"])).map((s) => s.text).join("")).toBe(text);
    expect(segmentsOf(text, null)).toEqual([{ text, marked: false }]);
  });
});
