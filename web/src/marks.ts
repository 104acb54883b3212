// Finds a topic's words in a text. Whole words of the same letters in either case, with phrases across any space.

export interface Segment {
  text: string;
  marked: boolean;
}

const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

// Scripts without spaces between words; there a word may stand next to any letter.
const unspaced = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;

// A pattern for these words and phrases, or null for none.
export function patternOf(words: string[]): RegExp | null {
  const patterns = [...new Set(words)]
    .filter((word) => /[\p{L}\p{N}]/u.test(word))
    .sort((a, b) => b.length - a.length) // the longest of two that start alike
    .map((word) => {
      const parts = word.split(/[\s_]+/u).filter(Boolean).map(escaped);
      const body = parts.join("[\\s\\p{P}_]+");
      return unspaced.test(word) ? body : `(?<![\\p{L}\\p{N}])${body}(?![\\p{L}\\p{N}])`;
    });
  return patterns.length ? new RegExp(patterns.join("|"), "giu") : null;
}

export function segmentsOf(text: string, pattern: RegExp | null): Segment[] {
  if (!pattern) return [{ text, marked: false }];
  const segments: Segment[] = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > end) segments.push({ text: text.slice(end, match.index), marked: false });
    segments.push({ text: match[0], marked: true });
    end = match.index + match[0].length;
  }
  if (end < text.length) segments.push({ text: text.slice(end), marked: false });
  return segments;
}
