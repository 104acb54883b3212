// One topic: its words, what lies below it, its course over time, its classes and its documents.
import { areaChart, describe, sharesOverTime } from "./charts";
import { documentList } from "./document_view";
import { h } from "./dom";
import { branchesOf } from "./layout";
import { linkTo, pathLinks, patternOfTopic } from "./links";
import {
  type Model,
  type Topic,
  count,
  documentsOf,
  nameOf,
  sureness,
  pathTo,
  percent,
  wholeNumber,
} from "./model";
import { capital, groups, items, nounsOf } from "./nouns";
import { rankedWords } from "./relevance";

const wordsShown = 20;
const classesShown = 12;

// Kept while the reader goes from topic to topic.
let lambda = 1;

function wordRows(model: Model, topic: Topic): HTMLElement[] {
  return rankedWords(model.data, topic.data, lambda, wordsShown).map(({ word, weight, share }) =>
    h(
      "tr",
      {},
      h("th", { scope: "row", dir: "auto" }, model.data.words[word]!),
      h(
        "td",
        { class: "bar-cell", "aria-label": `weight ${percent(weight)} of the largest` },
        h("span", { class: "bar", style: `--value: ${weight}` }),
      ),
      sharesKnown(model) && h("td", { class: "number" }, percent(share)),
    ),
  );
}

// Without them the slider has nothing to tell words apart by.
const sharesKnown = (model: Model) => model.data.shares.some((share) => share > 0 && share < 1);

function words(model: Model, topic: Topic): HTMLElement {
  const body = h("tbody", {}, ...wordRows(model, topic));
  const slider = h("input", {
    type: "range",
    min: 0,
    max: 1,
    step: 0.05,
    value: lambda,
    "aria-label": `Order of the ${nounsOf(model).features}, from those that only this ${nounsOf(model).group} has to those with the largest weight`,
    input: (event: InputEvent) => {
      lambda = Number((event.target as HTMLInputElement).value);
      body.replaceChildren(...wordRows(model, topic));
    },
  });
  return h(
    "section",
    { class: "words" },
    h("h3", {}, capital(nounsOf(model).features)),
    sharesKnown(model) &&
      h("div", { class: "slider" }, h("span", {}, "distinctive"), slider, h("span", {}, "frequent")),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, capital(nounsOf(model).feature)),
          h("th", { scope: "col" }, `Weight in the ${nounsOf(model).group}`),
          sharesKnown(model) &&
            h("th", { scope: "col", class: "number", title: `Share of all ${nounsOf(model).items} that hold the ${nounsOf(model).feature}` }, "In all"),
        ),
      ),
      body,
    ),
  );
}

// The whole is shown by its main branches: the first division alone says little.
function below(model: Model, topic: Topic): HTMLElement | null {
  if (!topic.children.length) return null;
  const flat = !topic.parent && topic.children.length === topic.leaves.length;
  const parts = topic.parent ? topic.children : branchesOf(topic);
  if (flat) parts.sort((a, b) => b.data.size - a.data.size);
  return h(
    "section",
    { class: "below" },
    h("h3", {}, topic.parent ? "Divides into" : flat ? capital(nounsOf(model).groups) : "Main branches"),
    h(
      "ul",
      {},
      ...parts.map((child) =>
        h(
          "li",
          {},
          h("a", { href: linkTo(child), dir: "auto", ...sureness(child) }, nameOf(model, child, 6)),
          h(
            "span",
            { class: "number" },
            `${items(model, child.data.size)}${child.leaves.length > 1 ? ` in ${groups(model, child.leaves.length)}` : ""}`,
          ),
        ),
      ),
    ),
  );
}

function overTime(model: Model, topic: Topic): HTMLElement | null {
  if (!topic.data.times || model.data.times.length < 2) return null;
  const isShare = topic.parent !== null;
  const values = isShare ? sharesOverTime(model, topic) : topic.data.times;
  const label = `${isShare ? `Share of the ${nounsOf(model).items}` : capital(nounsOf(model).items)} of each period, ${describe(model, values, isShare)}`;
  return h(
    "section",
    { class: "over-time" },
    h("h3", {}, "Over time"),
    areaChart(model, values, { width: 640, height: 170, label, isShare, axes: true }),
    h("p", { class: "quiet" }, `${label}.`),
  );
}

function classes(model: Model, topic: Topic): HTMLElement | null {
  const counts = topic.data.labels;
  if (!counts?.length || !topic.data.size) return null;
  const rows: HTMLElement[] = [];
  for (let i = 0; i < counts.length && i < 2 * classesShown; i += 2) {
    const share = counts[i + 1]! / topic.data.size;
    rows.push(
      h(
        "tr",
        {},
        h("th", { scope: "row", dir: "auto" }, model.data.labels[counts[i]!]!),
        h("td", { class: "bar-cell" }, h("span", { class: "bar", style: `--value: ${share}` })),
        h("td", { class: "number" }, wholeNumber(counts[i + 1]!)),
        h("td", { class: "number" }, percent(share)),
      ),
    );
  }
  const more = counts.length / 2 - rows.length;
  return h(
    "section",
    { class: "classes" },
    h("h3", {}, "Classes"),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h(
          "tr",
          {},
          h("th", { scope: "col" }, "Class"),
          h("th", { scope: "col" }, "Share"),
          h("th", { scope: "col", class: "number" }, capital(nounsOf(model).items)),
          h("th", { scope: "col", class: "number" }, `Of ${nounsOf(model).group}`),
        ),
      ),
      h("tbody", {}, ...rows),
    ),
    more > 0 && h("p", { class: "quiet" }, `and ${count(more, "more class", "more classes")}.`),
  );
}

export function topicFacts(model: Model, topic: Topic): string[] {
  const { data } = topic;
  return [
    items(model, data.size),
    topic.parent ? `${percent(data.size / Math.max(1, model.root.data.size))} of all` : "",
    topic.leaves.length > 1 ? groups(model, topic.leaves.length) : "",
    data.coherence === null ? "" : `coherence ${data.coherence.toLocaleString("en", { maximumSignificantDigits: 3 })}`,
    typeof data.stability === "number" ? `stability ${percent(data.stability)}` : "",
    data.score === null || data.score < 0 || !topic.parent ? "" : `score ${data.score.toLocaleString("en", { maximumSignificantDigits: 3 })}`,
  ].filter(Boolean);
}

export function topicView(model: Model, topic: Topic): HTMLElement {
  return h(
    "article",
    { class: "topic" },
    topic.parent && pathLinks(model, pathTo(topic.parent)),
    h(
      "h2",
      { dir: "auto", tabindex: -1 },
      topic.data.id !== "" && h("span", { class: "id" }, topic.data.id),
      " ",
      h("span", sureness(topic), nameOf(model, topic)),
    ),
    h("p", { class: "facts" }, topicFacts(model, topic).join(" · ")),
    h(
      "div",
      { class: "columns" },
      topic.data.words.length > 0 && words(model, topic),
      h("div", {}, below(model, topic), classes(model, topic)),
    ),
    overTime(model, topic),
    documentList(model, documentsOf(model, topic), patternOfTopic(model, topic), topic.data.size),
  );
}
