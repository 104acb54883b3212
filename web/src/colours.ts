// A colour for each leaf: neighbours in the tree have neighbouring hues, all of one lightness, so that none shouts.
import type { Model, Topic } from "./model";

export type Rgb = [number, number, number];

// Björn Ottosson's OKLCH, in which equal lightness looks equally light.
export function rgbOfOklch(lightness: number, chroma: number, hue: number): Rgb {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const gamma = (v: number) => {
    const c = Math.min(1, Math.max(0, v));
    return Math.round(255 * (c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055));
  };
  return [
    gamma(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    gamma(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    gamma(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

export const css = ([r, g, b]: Rgb, alpha = 1) => `rgb(${r} ${g} ${b} / ${alpha})`;

// Communities next to each other in number need not be alike: hues as far apart as they can be.
export function communityColour(community: number, dark: boolean): Rgb {
  const lightness = (dark ? 0.74 : 0.6) + 0.06 * (((community * 7) % 3) / 2 - 0.5);
  return rgbOfOklch(lightness, 0.125, (145 + community * 137.508) % 360);
}

// By position among the leaves; an inner node has the colour of its middle leaf.
export class Palette {
  private readonly place = new Map<number, number>();
  private readonly count: number;

  constructor(model: Model) {
    for (const [i, leaf] of model.root.leaves.entries()) this.place.set(leaf.index, i);
    this.count = Math.max(1, model.root.leaves.length);
  }

  of(topic: Topic, dark: boolean): Rgb {
    const middle = topic.leaves[Math.floor(topic.leaves.length / 2)]!;
    const place = this.place.get(middle.index)!;
    const lightness = (dark ? 0.74 : 0.6) + (place % 2 ? 0.03 : -0.03);
    return rgbOfOklch(lightness, 0.105, 140 + (330 * place) / this.count);
  }
}
