// Light or dark: as the system says, until the reader chooses.

const key = "copse-theme";
const system = matchMedia("(prefers-color-scheme: dark)");
let chosen: string | null = null;

function apply(changed: () => void) {
  document.documentElement.dataset["theme"] = chosen ?? (system.matches ? "dark" : "light");
  changed();
}

// Sets the theme of the last visit; calls `changed` whenever another one may be in force.
export function startTheme(changed: () => void) {
  try {
    chosen = localStorage.getItem(key);
  } catch {
    // A browser may forbid it to files: the choice holds until the page is closed.
  }
  if (chosen !== "light" && chosen !== "dark") chosen = null;
  system.addEventListener("change", () => apply(changed));
  apply(changed);
}

export const isDark = () => document.documentElement.dataset["theme"] === "dark";

export function switchTheme(changed: () => void) {
  chosen = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(key, chosen);
  } catch {
    // As above.
  }
  apply(changed);
}
