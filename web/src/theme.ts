// Light or dark: as the system says, until the reader chooses.

const key = "copse-theme";

function remembered(): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null; // a browser may forbid it to files
  }
}

export const isDark = () =>
  (document.documentElement.dataset["theme"] ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) ===
  "dark";

// Sets the remembered theme; calls `changed` whenever another one is in force.
export function startTheme(changed: () => void) {
  const theme = remembered();
  if (theme === "light" || theme === "dark") document.documentElement.dataset["theme"] = theme;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
}

export function switchTheme(changed: () => void) {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset["theme"] = theme;
  try {
    localStorage.setItem(key, theme);
  } catch {
    // It holds until the page is closed.
  }
  changed();
}
