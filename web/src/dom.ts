// Elements made in one expression. Text goes in as text, never as HTML.

type Child = Node | string | null | false;
type Properties = Record<string, string | number | boolean | null | ((event: never) => void)>;

function fill(element: Element, properties: Properties, children: Child[]) {
  for (const [name, value] of Object.entries(properties)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child) => child !== null && child !== false));
}

// h("a", { href: "#1" }, "text"); a function becomes the listener of the event of that name.
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  fill(element, properties, children);
  return element;
}

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  fill(element, properties, children);
  return element;
}
