// The frame of a page with views: its head, the search, and the address that names what is shown.
import type { PageData } from "./data";
import { h } from "./dom";
import { switchTheme } from "./theme";

// The head of every kind of page; `bar` comes before the button for light and dark.
export function pageHead(
  { title, notes }: Pick<PageData, "title" | "notes">,
  summary: string[],
  recolour: () => void,
  ...bar: HTMLElement[]
): HTMLElement {
  return h(
    "header",
    {},
    h("h1", { dir: "auto" }, title),
    h("p", { class: "summary" }, summary.filter(Boolean).join(" · ")),
    ...notes.map((note) => h("p", { class: "note", dir: "auto" }, note)),
    h(
      "div",
      { class: "bar-top" },
      ...bar,
      h("button", {
        type: "button",
        class: "theme",
        "aria-label": "Switch between light and dark",
        title: "Light or dark",
        click: () => switchTheme(recolour),
      }),
    ),
  );
}

export interface FrameOptions {
  data: Pick<PageData, "title" | "notes">;
  summary: string[];
  views: (readonly [place: string, name: string] | false)[];
  search: { placeholder: string; label: string };
  skip: string; // the words of the link to the panel
  side: HTMLElement; // beside the panel
  foot: HTMLElement;
  printed: () => HTMLElement; // what paper shows in place of the views
  recolour: () => void;
  show: (moved: boolean) => void; // what the address names
}

export class Frame {
  readonly panel = h("main", { id: "panel" });
  private readonly input: HTMLInputElement;
  private readonly links = new Map<string, HTMLAnchorElement>();
  private timer = 0;

  constructor(private readonly options: FrameOptions) {
    const { data, summary, views, search, skip, side, foot, printed, recolour, show } = options;
    this.input = h("input", {
      type: "search",
      placeholder: search.placeholder,
      "aria-label": search.label,
      autocomplete: "off",
      spellcheck: "false",
      input: () => {
        clearTimeout(this.timer);
        this.timer = window.setTimeout(() => this.lookUp(), 120);
      },
    });
    const items = views.map((view) => {
      if (!view) return false;
      const a = h("a", { href: `#${view[0]}` }, view[1]);
      this.links.set(view[0], a);
      return h("li", {}, a);
    });
    document.title = `${data.title} – Copse`;
    document.body.replaceChildren(
      h("a", { class: "skip", href: "#panel", click: (e: Event) => this.skip(e) }, skip),
      pageHead(data, summary, recolour, h("nav", { "aria-label": "Views", class: "views" }, h("ul", {}, ...items)), h("div", { role: "search" }, this.input)),
      h("div", { class: "body" }, h("aside", {}, side), this.panel),
      foot,
    );
    addEventListener("hashchange", () => show(true));
    addEventListener("keydown", (event) => {
      if (event.key !== "/" || (event.target as Element).matches("input, textarea")) return;
      event.preventDefault();
      this.input.focus();
    });
    const print = matchMedia("print");
    const prepare = () => document.querySelector(".printed") ?? this.panel.after(printed());
    print.addEventListener("change", () => print.matches && prepare());
    addEventListener("beforeprint", prepare);
    addEventListener("afterprint", () => document.querySelector(".printed")?.remove());
  }

  // What the address names.
  place(): string {
    try {
      return decodeURIComponent(location.hash.slice(1));
    } catch {
      return "";
    }
  }

  // The words that are looked for, if the place is a search.
  query(place: string): string | null {
    if (!place.startsWith("search=")) return null;
    const query = place.slice("search=".length);
    if (document.activeElement !== this.input) this.input.value = query;
    return query;
  }

  // Puts a view into the panel, and marks the tab that it belongs to.
  fill(view: HTMLElement, tab: string) {
    this.panel.replaceChildren(view);
    for (const [name, link] of this.links) {
      if (name === tab) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }

  // Readers who do not see the page hear the new heading.
  arrive(view: HTMLElement) {
    if (view.getBoundingClientRect().top < 0) view.scrollIntoView();
    view.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  }

  private skip(event: Event) {
    event.preventDefault();
    this.panel.querySelector<HTMLElement>("h2")?.focus();
  }

  private lookUp() {
    const query = this.input.value.trim();
    if (query) history.replaceState(null, "", `#search=${encodeURIComponent(query)}`);
    else if (this.place().startsWith("search=")) history.replaceState(null, "", "#");
    this.options.show(false);
  }
}
