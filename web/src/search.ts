// Search over the words and names of topics and over titles. All words asked for must begin a word of what is found.
import { type Model, type Topic, fullId, nameOf } from "./model";

export interface Found {
  topics: Topic[];
  documents: number[];
}

// Lower case without accents, so that "cafe" finds "Café".
export const plain = (text: string) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

const isWordPart = /[\p{L}\p{N}]/u;

// Whether `asked` stands in `text` where a word begins. Han and the like have no spaces: there any place will do.
function beginsAWord(text: string, asked: string): boolean {
  for (let at = text.indexOf(asked); at >= 0; at = text.indexOf(asked, at + 1)) {
    const before = at === 0 ? "" : text[at - 1]!;
    if (!isWordPart.test(before) || /[^\u0000-\u024f]/.test(asked)) return true;
  }
  return false;
}

export class Search {
  private readonly topicTexts: string[];
  private titles: string[] | null = null; // made at the first search: the page opens sooner

  constructor(private readonly model: Model) {
    const { words, forms } = model.data;
    const formsOf = new Map(forms);
    this.topicTexts = model.topics.map((topic) =>
      plain(
        [
          topic.data.id,
          fullId(topic.data.id),
          topic.data.name,
          topic.data.label ?? "",
          ...topic.data.words.flatMap((w) => [words[w]!, ...(formsOf.get(w) ?? [])]),
        ].join("\n"),
      ),
    );
  }

  find(query: string): Found {
    const asked = plain(query).split(/\s+/).filter(Boolean);
    if (!asked.length) return { topics: [], documents: [] };
    this.titles ??= this.model.titles.map((title) => plain(title ?? ""));
    const matches = (text: string) => asked.every((word) => beginsAWord(text, word));
    const documents: number[] = [];
    for (const [d, title] of this.titles.entries()) if (matches(title)) documents.push(d);
    const topics = this.model.topics.filter((topic) => topic.parent && matches(this.topicTexts[topic.index]!));
    const rank = (topic: Topic) => {
      const at = topic.data.words.findIndex((w) => beginsAWord(plain(this.model.data.words[w]!), asked[0]!));
      return matches(plain(nameOf(this.model, topic))) || at < 0 ? -1 : at;
    };
    topics.sort((a, b) => rank(a) - rank(b));
    return { topics, documents };
  }
}
