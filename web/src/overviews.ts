// All topics at once: the flat view, topics over time, classes, and outliers.
import { areaChart, describe, sharesOverTime } from "./charts";
import { css, type Palette } from "./colours";
import { documentList } from "./document_view";
import { h } from "./dom";
import { linkTo } from "./links";
import { type Model, type Topic, count, nameOf, percent, sureness, titleOf, wholeNumber } from "./model";
import { capital, groups, items, nounsOf } from "./nouns";
import type { Found } from "./search";

const bySize = (topics: Topic[]) => [...topics].sort((a, b) => b.data.size - a.data.size);

function card(model: Model, topic: Topic, palette: Palette, documents: number): HTMLElement {
  const { data } = topic;
  const main = data.labels?.length ? model.data.labels[data.labels[0]!] : undefined;
  return h(
    "li",
    { class: "card", style: `--colour: ${css(palette.of(topic, false))}` },
    h("h3", { dir: "auto" }, h("a", { href: linkTo(topic) }, h("span", { class: "id" }, data.id), " ", h("span", sureness(topic), nameOf(model, topic)))),
    h("p", { dir: "auto", class: "top-words" }, data.words.slice(data.name || data.label ? 0 : 3, 12).map((w) => model.data.words[w]).join(", ")),
    h(
      "p",
      { class: "quiet", dir: "auto" },
      [
        items(model, data.size),
        typeof data.stability === "number" ? `stability ${percent(data.stability)}` : "",
        main === undefined ? "" : `${percent(data.labels![1]! / Math.max(1, data.size))} ${main}`,
      ]
        .filter(Boolean)
        .join(" · "),
    ),
    documents > 0 && h("ol", {}, ...data.documents.slice(0, documents).map((d) => h("li", { dir: "auto" }, titleOf(model, d)))),
  );
}

export function flatView(model: Model, palette: Palette): HTMLElement {
  const leaves = bySize(model.root.leaves);
  return h(
    "article",
    {},
    h("h2", { tabindex: -1 }, groups(model, leaves.length)),
    h("p", { class: "facts" }, `All ${nounsOf(model).groups} side by side, the largest first.`),
    h("ul", { class: "cards" }, ...leaves.map((leaf) => card(model, leaf, palette, 0))),
  );
}

export function timeView(model: Model): HTMLElement {
  const charts = bySize(model.root.leaves).map((topic) => {
    const shares = sharesOverTime(model, topic);
    const said = describe(model, shares, true);
    return h(
      "li",
      {},
      h("h3", { dir: "auto" }, h("a", { href: linkTo(topic) }, h("span", { class: "id" }, topic.data.id), " ", nameOf(model, topic))),
      areaChart(model, shares, { width: 240, height: 64, label: `${nameOf(model, topic)}, ${said}`, isShare: true, axes: false }),
      h("p", { class: "quiet" }, said),
    );
  });
  const { times } = model.data;
  return h(
    "article",
    {},
    h("h2", { tabindex: -1 }, "Over time"),
    h(
      "p",
      { class: "facts" },
      `Share of each period's ${nounsOf(model).items}, from ${times[0]} to ${times[times.length - 1]}; every ${nounsOf(model).group} has its own scale.`,
    ),
    h("ul", { class: "multiples" }, ...charts),
  );
}

// For every class the topics that hold most of it.
export function classesView(model: Model): HTMLElement {
  const { labels, labels_given } = model.data;
  const topicsOf: [Topic, number][][] = labels.map(() => []);
  for (const leaf of model.root.leaves) {
    const counts = leaf.data.labels ?? [];
    for (let i = 0; i < counts.length; i += 2) topicsOf[counts[i]!]!.push([leaf, counts[i + 1]!]);
  }
  const rows = topicsOf.map((topics, label) => ({
    label,
    topics: topics.sort((a, b) => b[1] - a[1]),
    total: topics.reduce((sum, [, n]) => sum + n, 0),
  }));
  rows.sort((a, b) => b.total - a.total);
  return h(
    "article",
    { class: "classes-view" },
    h("h2", { tabindex: -1 }, "Classes"),
    h("p", { class: "facts" }, `Where the ${nounsOf(model).items} of every class lie.`),
    h(
      "table",
      {},
      h(
        "thead",
        {},
        h("tr", {}, h("th", { scope: "col" }, "Class"), h("th", { scope: "col", class: "number" }, capital(nounsOf(model).items)), h("th", { scope: "col" }, capital(nounsOf(model).groups))),
      ),
      h(
        "tbody",
        {},
        ...rows.map(({ label, topics, total }) =>
          h(
            "tr",
            {},
            h("th", { scope: "row", dir: "auto" }, labels[label]!),
            h("td", { class: "number" }, wholeNumber(total)),
            h(
              "td",
              {},
              h(
                "ul",
                { class: "shares" },
                ...topics.slice(0, 4).map(([topic, n]) =>
                  h(
                    "li",
                    {},
                    h("a", { href: linkTo(topic), dir: "auto" }, nameOf(model, topic, 2)),
                    ` ${percent(n / Math.max(1, total))}`,
                  ),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
    labels_given > labels.length &&
      h("p", { class: "quiet" }, `The ${wholeNumber(labels.length)} commonest of ${count(labels_given, "class", "classes")} are inside.`),
  );
}

export function outliersView(model: Model): HTMLElement {
  const { outliers } = model.data.documents;
  return h(
    "article",
    {},
    h("h2", { tabindex: -1 }, "Outliers"),
    h(
      "p",
      { class: "facts" },
      `${items(model, outliers)} that fit no ${nounsOf(model).group} well and were set aside. Each names the ${nounsOf(model).group} that it is nearest to.`,
    ),
    documentList(model, model.outliers, null, outliers),
  );
}

export function searchView(model: Model, query: string, found: Found): HTMLElement {
  const { topics, documents } = found;
  const untitled = model.titles.filter((title) => title === null).length;
  return h(
    "article",
    { class: "found" },
    h("h2", { tabindex: -1, dir: "auto" }, `“${query}”`),
    h("p", { class: "facts", role: "status" }, `${groups(model, topics.length)} and ${items(model, documents.length)}`),
    topics.length > 0 &&
      h(
        "section",
        { class: "below" },
        h("h3", {}, capital(nounsOf(model).groups)),
        h(
          "ul",
          {},
          ...topics.slice(0, 30).map((topic) =>
            h(
              "li",
              {},
              h("a", { href: linkTo(topic), dir: "auto" }, `${topic.data.id} ${nameOf(model, topic, 6)}`),
              h("span", { class: "number" }, items(model, topic.data.size)),
            ),
          ),
        ),
      ),
    documents.length > 0 && documentList(model, documents, null, documents.length),
    untitled > 0 && h("p", { class: "quiet" }, `The titles of ${items(model, untitled)} are not inside and were not searched.`),
  );
}

// What paper shows in place of the views: the whole tree as an outline, then every topic.
export function printed(model: Model, palette: Palette): HTMLElement {
  const outline = (topic: Topic): HTMLElement =>
    h(
      "li",
      { dir: "auto" },
      h("span", { class: "id" }, topic.data.id),
      ` ${nameOf(model, topic, 6)} `,
      h("span", { class: "quiet" }, wholeNumber(topic.data.size)),
      topic.children.length > 0 && h("ul", {}, ...topic.children.map(outline)),
    );
  return h(
    "div",
    { class: "printed" },
    h("h2", {}, "The tree"),
    h("ul", { class: "outline" }, ...model.root.children.map(outline)),
    h("h2", {}, `The ${nounsOf(model).groups}`),
    h("ul", { class: "cards" }, ...bySize(model.root.leaves).map((leaf) => card(model, leaf, palette, 3))),
  );
}
