// Documents: a list of them, and one with its text and its topics.
import { none, outlierFlag, unknownStability } from "./data";
import { h } from "./dom";
import { linkTo, linkToDocument, pathLinks, patternOfTopic } from "./links";
import { type Segment, segmentsOf } from "./marks";
import { type Model, isDuplicate, nameOf, pathTo, percent, titleOf, wholeNumber } from "./model";
import { capital, items, nounsOf } from "./nouns";

const withText = 6; // excerpts at first
const step = 30; // titles for each press of the button
const excerptLength = 320;

const marked = (segments: Segment[]) => segments.map((s) => (s.marked ? h("mark", {}, s.text) : s.text));

// From a little before the first word of the topic.
export function excerptOf(text: string, pattern: RegExp | null): string {
  const first = pattern ? text.search(pattern) : -1;
  let start = first > excerptLength / 2 ? text.lastIndexOf(" ", first - excerptLength / 4) + 1 : 0;
  if (start > 0 && /[\uDC00-\uDFFF]/.test(text[start]!)) ++start;
  const cut = [...text.slice(start, start + 2 * excerptLength)].slice(0, excerptLength).join("");
  return `${start > 0 ? "… " : ""}${cut}${start + cut.length < text.length ? " …" : ""}`;
}

function facts(model: Model, d: number): string[] {
  const label = model.label?.[d] ?? none;
  const time = model.time?.[d] ?? none;
  const stability = model.stability?.[d] ?? unknownStability;
  return [
    label === none ? "" : model.data.labels[label]!,
    time === none ? "" : model.data.times[time]!,
    stability === unknownStability ? "" : `stability ${percent(stability / 200)}`,
    isDuplicate(model, d) ? "near-duplicate" : "",
  ].filter(Boolean);
}

function entry(model: Model, d: number, pattern: RegExp | null, excerpts: boolean): HTMLElement {
  const text = excerpts ? model.texts.get(d) : undefined;
  const about = facts(model, d);
  return h(
    "li",
    {},
    h("a", { href: linkToDocument(d), dir: "auto" }, ...marked(segmentsOf(titleOf(model, d), pattern))),
    about.length > 0 && h("span", { class: "about", dir: "auto" }, about.join(" · ")),
    text !== undefined && h("p", { dir: "auto" }, ...marked(segmentsOf(excerptOf(text, pattern), pattern))),
  );
}

// `total` counts those that are not inside, too.
export function documentList(model: Model, documents: number[], pattern: RegExp | null, total: number): HTMLElement {
  const list = h("ul", { class: "documents" });
  const state = h("p", { class: "quiet" });
  let shown = 0;
  const button = h("button", { type: "button", click: () => more(step) }, `More ${nounsOf(model).items}`);
  const more = (number: number) => {
    const next = documents.slice(shown, shown + number);
    list.append(...next.map((d, i) => entry(model, d, pattern, shown + i < withText)));
    shown += next.length;
    button.hidden = shown >= documents.length;
    state.textContent = `${wholeNumber(shown)} of ${items(model, total)} shown.${
      shown >= documents.length && shown < total ? " The others are not inside this page." : ""
    }`;
  };
  more(withText + 6);
  return h("section", { class: "documents-section" }, h("h3", {}, capital(nounsOf(model).items)), list, button, state);
}

function membership(model: Model, leaf: number, weight: number, isFirst: boolean): HTMLElement | null {
  const topic = model.topics[leaf];
  if (!topic) return null;
  return h(
    "li",
    {},
    h("a", { href: linkTo(topic), dir: "auto" }, `${topic.data.id} ${nameOf(model, topic)}`),
    h("span", { class: "bar-cell" }, h("span", { class: isFirst ? "bar" : "bar second", style: `--value: ${weight / 255}` })),
    h("span", { class: "number" }, percent(weight / 255)),
  );
}

export function documentView(model: Model, d: number): HTMLElement {
  const topic = model.topics[model.leaf[d]!];
  const pattern = topic ? patternOfTopic(model, topic) : null;
  const text = model.texts.get(d);
  const isOutlier = (model.flags[d]! & outlierFlag) !== 0;
  const about = facts(model, d);
  return h(
    "article",
    { class: "document" },
    topic ? pathLinks(model, pathTo(topic)) : null,
    h("h2", { dir: "auto", tabindex: -1 }, titleOf(model, d)),
    about.length > 0 && h("p", { class: "facts", dir: "auto" }, about.join(" · ")),
    h(
      "section",
      {},
      h("h3", {}, isOutlier ? "An outlier; nearest to" : capital(nounsOf(model).groups)),
      topic
        ? h(
            "ul",
            { class: "memberships" },
            membership(model, model.leaf[d]!, model.weight[d]!, true),
            model.second[d] !== none && membership(model, model.second[d]!, model.secondWeight[d]!, false),
          )
        : h("p", {}, model.isText ? "It holds too few known words to be placed." : "It could not be placed."),
    ),
    model.isText && h(
      "section",
      {},
      h("h3", {}, "Text"),
      text === undefined
        ? h("p", { class: "quiet" }, `The text is not inside this page; it has those of ${items(model, model.texts.size)}.`)
        : h("div", { class: "text", dir: "auto" }, ...marked(segmentsOf(text, pattern))),
    ),
  );
}
