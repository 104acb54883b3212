import { defineConfig } from "@playwright/test";

// Debian's Chromium: Playwright's own would have to be downloaded.
export default defineConfig({
  testDir: "tests",
  testMatch: "*_browser.ts",
  outputDir: "test-results",
  reporter: [["list"]],
  workers: 1,
  timeout: 30_000,
  use: {
    viewport: { width: 1280, height: 860 },
    launchOptions: {
      executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
