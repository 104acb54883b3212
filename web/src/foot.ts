// How the result was made, and what of it is not inside the page.
import type { PageData } from "./data";
import { h } from "./dom";
import { type Model, wholeNumber } from "./model";
import { items } from "./nouns";

export type Made = Pick<PageData, "command" | "settings" | "facts">;

export function cuts(model: Model): string[] {
  const { documents, texts_given, texts } = model.data;
  const titles = model.titles.filter((title) => title !== null).length;
  return [
    documents.inside < documents.total
      ? `${wholeNumber(documents.inside)} of ${items(model, documents.total)} are inside, an even sample; sizes, classes and periods count all.`
      : "",
    titles < documents.inside ? `Titles of ${wholeNumber(titles)} of ${items(model, documents.total)} are inside.` : "",
    texts.length
      ? `The text of ${items(model, texts.length)} is inside${texts_given > texts.length ? ` (${wholeNumber(texts_given)} would not fit)` : ""}, long ones cut short.`
      : "",
  ].filter(Boolean);
}

const list = (pairs: [string, string][]) =>
  h("dl", {}, ...pairs.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", { dir: "auto" }, value))));

// Numbers below zero stand for what the program chooses by itself.
export function settingText(value: string | number | boolean | null): string {
  if (value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  return typeof value === "number" && value < 0 ? "automatic" : String(value);
}

export const foot = (model: Model) => footOf(model.data, cuts(model));

// Of every kind of page; `cut` are sentences on what is not inside.
export function footOf({ command, settings, facts }: Made, cut: string[]): HTMLElement {
  const pairs = Object.entries(settings)
    .filter(([, value]) => value !== "")
    .map(([name, value]): [string, string] => [name.replaceAll("_", " "), settingText(value)]);
  return h(
    "footer",
    {},
    h("h2", {}, "How this was made"),
    command !== "" && h("p", {}, h("code", {}, command)),
    facts.length > 0 && list(facts),
    pairs.length > 0 && h("h3", {}, "Settings"),
    pairs.length > 0 && list(pairs),
    h("p", { class: "quiet" }, [...cut, "The page is one file and needs no network."].join(" ")),
  );
}
