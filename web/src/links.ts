// What several views say about a topic: its address, the way to it, its words as a pattern.
import { h } from "./dom";
import { patternOf } from "./marks";
import { type Model, type Topic, nameOf } from "./model";

const wordsMarked = 20; // those that the topic shows

export const linkTo = (topic: Topic) => `#${encodeURIComponent(topic.data.id)}`;
export const linkToDocument = (d: number) => `#doc-${d}`;

export function pathLinks(model: Model, path: Topic[]): HTMLElement {
  return h(
    "nav",
    { class: "path", "aria-label": "Path" },
    h("ol", {}, ...path.map((t) => h("li", {}, h("a", { href: linkTo(t), dir: "auto" }, nameOf(model, t, 2))))),
  );
}

// The words of a topic in all their forms; names of nodes and items are not marked.
export function patternOfTopic(model: Model, topic: Topic): RegExp | null {
  if (!model.isText) return null;
  const forms = new Map(model.data.forms);
  const words = topic.data.words.slice(0, wordsMarked);
  return patternOf(words.flatMap((w) => [model.data.words[w]!, ...(forms.get(w) ?? [])]));
}
