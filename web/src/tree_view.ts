// The topic tree at the side: an ARIA tree with the keys that its pattern asks for. Branches are built when opened.
import { h } from "./dom";
import { type Model, type Topic, nameOf, sureness, wholeNumber } from "./model";
import { capital, items, nounsOf } from "./nouns";

const firstVisible = 14; // about so many topics are open at first

export class TreeView {
  readonly element: HTMLUListElement;
  private readonly items = new Map<Topic, HTMLLIElement>();
  private selected: HTMLLIElement | null = null;

  constructor(
    private readonly model: Model,
    private readonly go: (place: string) => void,
  ) {
    this.element = h("ul", { role: "tree", "aria-label": `${capital(nounsOf(model).group)} tree`, class: "tree", keydown: (e) => this.key(e) });
    this.element.append(this.item(model.root));
    if (model.outliers.length) this.element.append(this.outliers());
    this.element.querySelector("li")!.tabIndex = 0;
    const queue = [model.root];
    for (let shown = 1; queue.length && shown < firstVisible; ) {
      const largest = queue.sort((a, b) => b.data.size - a.data.size).shift()!;
      if (!largest.children.length) continue;
      this.open(largest);
      shown += largest.children.length;
      queue.push(...largest.children);
    }
  }

  // Marks a topic as the one that is shown, and opens the way to it.
  select(place: Topic | "outliers" | null) {
    this.selected?.setAttribute("aria-selected", "false");
    if (place && place !== "outliers") for (let t = place.parent; t; t = t.parent) this.openWayTo(t);
    this.selected =
      place === "outliers"
        ? this.element.querySelector<HTMLLIElement>("li[data-outliers]")
        : ((place && this.items.get(place)) ?? null);
    this.selected?.setAttribute("aria-selected", "true");
    if (!this.selected) return;
    this.setStop(this.selected);
    if (this.element.scrollHeight > this.element.clientHeight)
      this.selected.querySelector(".row")!.scrollIntoView({ block: "nearest" });
  }

  private openWayTo(topic: Topic) {
    if (topic.parent) this.openWayTo(topic.parent);
    this.open(topic);
  }

  private item(topic: Topic): HTMLLIElement {
    const { data } = topic;
    const branch = topic.children.length > 0;
    const share = data.size / Math.max(1, this.model.root.data.size);
    const name = nameOf(this.model, topic, 4);
    const item = h(
      "li",
      {
        role: "treeitem",
        tabindex: -1,
        "aria-level": topic.depth + 1,
        "aria-selected": "false",
        "aria-expanded": branch ? "false" : null,
        "aria-label": `${data.id ? `${data.id}: ` : ""}${name}, ${items(this.model, data.size)}`,
        "data-id": data.id,
      },
      h(
        "div",
        { class: "row", click: (e: MouseEvent) => this.click(e, topic), style: `--depth: ${topic.depth}` },
        h("span", { class: branch ? "twisty" : "twisty none", "aria-hidden": "true" }),
        h("span", { class: "name", dir: "auto" }, h("span", sureness(topic), name)),
        h("span", { class: "size" }, wholeNumber(data.size)),
        h("span", { class: "share", style: `--share: ${share}` }),
      ),
    );
    this.items.set(topic, item);
    return item;
  }

  private outliers(): HTMLLIElement {
    const number = this.model.data.documents.outliers;
    return h(
      "li",
      {
        role: "treeitem",
        tabindex: -1,
        "aria-level": 1,
        "aria-selected": "false",
        "aria-label": `Outliers, ${items(this.model, number)}`,
        "data-outliers": true,
      },
      h(
        "div",
        { class: "row", click: () => this.go("outliers"), style: "--depth: 0" },
        h("span", { class: "twisty none" }),
        h("span", { class: "name" }, "Outliers"),
        h("span", { class: "size" }, wholeNumber(number)),
      ),
    );
  }

  private open(topic: Topic) {
    const item = this.items.get(topic)!;
    if (!topic.children.length) return;
    item.setAttribute("aria-expanded", "true");
    if (item.querySelector(":scope > ul")) return;
    item.append(h("ul", { role: "group" }, ...topic.children.map((child) => this.item(child))));
  }

  private close(topic: Topic) {
    this.items.get(topic)!.setAttribute("aria-expanded", "false");
  }

  private isOpen = (item: HTMLLIElement) => item.getAttribute("aria-expanded") === "true";

  private click(event: MouseEvent, topic: Topic) {
    const item = this.items.get(topic)!;
    if ((event.target as Element).classList.contains("twisty") && topic.children.length) {
      if (this.isOpen(item)) this.close(topic);
      else this.open(topic);
      return;
    }
    this.open(topic);
    this.go(topic.data.id);
  }

  // Only one item is in the page's tab order.
  private setStop(item: HTMLLIElement) {
    for (const other of this.element.querySelectorAll<HTMLLIElement>('li[tabindex="0"]')) other.tabIndex = -1;
    item.tabIndex = 0;
  }

  private focus(item: HTMLLIElement | null | undefined) {
    if (!item) return;
    this.setStop(item);
    item.focus();
  }

  private visible(): HTMLLIElement[] {
    return [...this.element.querySelectorAll<HTMLLIElement>("li")].filter(
      (item) => !item.parentElement!.closest('li[aria-expanded="false"]'),
    );
  }

  private key(event: KeyboardEvent) {
    const item = (event.target as Element).closest<HTMLLIElement>("li");
    if (!item || event.ctrlKey || event.altKey || event.metaKey) return;
    const topic = this.model.topics.find((t) => this.items.get(t) === item);
    const visible = this.visible();
    const at = visible.indexOf(item);
    switch (event.key) {
      case "ArrowDown":
        this.focus(visible[at + 1]);
        break;
      case "ArrowUp":
        this.focus(visible[at - 1]);
        break;
      case "ArrowRight":
        if (topic && !this.isOpen(item)) this.open(topic);
        else if (topic?.children.length) this.focus(visible[at + 1]);
        break;
      case "ArrowLeft":
        if (topic && this.isOpen(item)) this.close(topic);
        else this.focus(item.parentElement!.closest<HTMLLIElement>("li"));
        break;
      case "Home":
        this.focus(visible[0]);
        break;
      case "End":
        this.focus(visible[visible.length - 1]);
        break;
      case "*":
        for (const sibling of topic?.parent?.children ?? []) this.open(sibling);
        break;
      case "Enter":
      case " ":
        this.go(topic ? topic.data.id : "outliers");
        break;
      default:
        if (event.key.length === 1) this.typeAhead(event.key, visible, at);
        return;
    }
    event.preventDefault();
  }

  private typeAhead(letter: string, visible: HTMLLIElement[], at: number) {
    const order = [...visible.slice(at + 1), ...visible.slice(0, at + 1)];
    const starts = (item: HTMLLIElement) =>
      item.querySelector(".name")!.textContent!.toLowerCase().startsWith(letter.toLowerCase());
    this.focus(order.find(starts));
  }
}
