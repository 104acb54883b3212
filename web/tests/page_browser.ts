// The page in a real browser, opened from disk. Every test fails on an error in the console and on any request.
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test as base, type Page } from "@playwright/test";
import type { PageData } from "../src/data";
import type { MapView } from "../src/map_view";
import { pageWith, sample } from "./sample";

const test = base.extend<{ open: (report: PageData | string, place?: string) => Promise<Page> }>({
  open: async ({ page }, use) => {
    const wrong: string[] = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("dialog", (dialog) => (wrong.push(dialog.message()), dialog.dismiss()));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) wrong.push(request.url());
    });
    await use(async (report, place = "") => {
      await page.goto((typeof report === "string" ? report : pageWith(report)) + place);
      return page;
    });
    expect(wrong).toEqual([]);
  },
});

type Place = [number, number];
const tree = (page: Page) => page.getByRole("tree", { name: "Topic tree" });
const heading = (page: Page) => page.getByRole("main").getByRole("heading", { level: 2 });
const mapOf = <T>(page: Page, act: string) =>
  page.evaluate(`(() => { const map = window.copseMap; return ${act}; })()`) as Promise<T>;

test("opens with the tree, the sizes and the settings", async ({ open }) => {
  const page = await open(sample());
  await expect(page).toHaveTitle("Letters to the editor – Copse");
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("Letters to the editor");
  await expect(page.locator(".summary")).toContainText("400 documents · 8 topics");
  await expect(tree(page).getByRole("treeitem").first()).toHaveAttribute("aria-expanded", "true");
  await expect(page.locator("footer")).toContainText("copse tree letters.jsonl");
  await expect(page.locator("footer dl").last()).toContainText("time limitnone");
});

test("calls the items of a graph's tree nodes, and its clusters communities", async ({ open }) => {
  const page = await open({ ...sample(), items: "node" });
  await expect(page.locator(".summary")).toContainText("400 nodes · 8 communities");
  await expect(page.getByPlaceholder("Search nodes")).toBeVisible();
  await expect(page.getByRole("tree", { name: "Community tree" })).toBeVisible();
  for (const place of ["", "1", "doc-0", "topics", "map", "classes", "search=a"]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await expect(heading(page)).toBeVisible();
    await expect(page.locator("body")).not.toContainText(/\b(documents?|topics?)\b/i);
  }
});

test("opens and closes branches by mouse", async ({ open }) => {
  const page = await open(sample());
  const item = tree(page).locator('li[data-id="1"]');
  await expect(item).toHaveAttribute("aria-expanded", "true");
  await item.locator("> .row .twisty").click();
  await expect(item).toHaveAttribute("aria-expanded", "false");
  await expect(tree(page).locator('li[data-id="1.1"]')).toBeHidden();
  await item.locator("> .row .twisty").click();
  await expect(tree(page).locator('li[data-id="1.1"]')).toBeVisible();
  await tree(page).locator('li[data-id="1.1"] > .row .name').click();
  await expect(heading(page)).toContainText("1.1");
  expect(new URL(page.url()).hash).toBe("#1.1");
});

test("is walked by keyboard", async ({ open }) => {
  const page = await open(sample());
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute("data-id"));
  await tree(page).getByRole("treeitem").first().focus();
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("1");
  await page.keyboard.press("ArrowLeft");
  await expect(tree(page).locator('li[data-id="1"]')).toHaveAttribute("aria-expanded", "false");
  await page.keyboard.press("ArrowDown");
  expect(await focused()).toBe("2");
  await page.keyboard.press("ArrowRight"); // it is open: to its first child
  expect(await focused()).toBe("2.1");
  await page.keyboard.press("Enter");
  await expect(heading(page)).toContainText("2.1");
  expect(await focused()).toBe("2.1"); // the walk goes on from there
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("End");
  await expect(page.locator("li[data-outliers]")).toBeFocused();
  await page.keyboard.press("Home");
  expect(await focused()).toBe("");
  expect(await tree(page).locator('li[tabindex="0"]').count()).toBe(1);
});

test("goes where the address says, and back", async ({ open }) => {
  const page = await open(sample(), "#2.1.2");
  await expect(heading(page)).toContainText("2.1.2");
  await expect(tree(page).locator('li[data-id="2.1.2"]')).toHaveAttribute("aria-selected", "true");
  await expect(tree(page).locator('li[data-id="2.1.2"]')).toBeVisible();
  await page.getByRole("link", { name: "Side by side" }).click();
  await expect(heading(page)).toHaveText("8 topics");
  await page.goBack();
  await expect(heading(page)).toContainText("2.1.2");
  await page.evaluate(() => (location.hash = "#%E0%A4%A")); // not an address at all
  await expect(heading(page)).toHaveText(/All documents/);
});

test("takes ids in full where it shows short ones", async ({ open }) => {
  const data = sample();
  data.nodes.find((node) => node.id === "2.1.2")!.id = "2.1x4.2";
  for (const place of ["#2.1x4.2", "#2.1.1.1.1.2"]) {
    const page = await open(data, place);
    await expect(heading(page)).toContainText("2.1x4.2");
    await expect(tree(page).locator('li[data-id="2.1x4.2"]')).toHaveAttribute("aria-selected", "true");
  }
});

test("orders words by the slider as the formula says", async ({ open }) => {
  const data = sample();
  const page = await open(data, "#1.1.1");
  const node = data.nodes.find(({ id }) => id === "1.1.1")!;
  const shown = () => page.locator(".words tbody th").allTextContents();
  const expected = (lambda: number) =>
    node.words
      .map((word, i) => ({ word: data.words[word]!, value: Math.log(node.weights[i]!) - (1 - lambda) * Math.log(data.shares[word]!) }))
      .sort((a, b) => b.value - a.value)
      .map(({ word }) => word);
  expect(await shown()).toEqual(expected(1));
  await page.getByRole("slider").fill("0");
  expect(await shown()).toEqual(expected(0));
  expect(expected(0)).not.toEqual(expected(1));
  await page.getByRole("slider").press("ArrowRight");
  expect(await shown()).toEqual(expected(0.05));
});

test("finds words and titles", async ({ open }) => {
  const page = await open(sample({ titles: (d) => (d === 17 ? "A solitary walrus" : `Note ${d}`) }));
  await page.keyboard.press("/");
  await page.keyboard.type("walr");
  await expect(page.getByRole("status")).toHaveText("0 topics and 1 document");
  await page.getByRole("main").getByRole("link", { name: "A solitary walrus" }).click();
  await expect(heading(page)).toHaveText("A solitary walrus");
  await page.getByRole("searchbox").fill("telescope");
  await expect(page.getByRole("status")).toContainText(/^[1-9]\d* topics? and 0 documents/);
  await page.getByRole("searchbox").fill("");
  await expect(heading(page)).toHaveText("All documents");
});

test("marks the words of the topic in its documents", async ({ open }) => {
  const data = sample({ text: "The telescope saw. TELESCOPES did not, télescope neither." });
  data.forms.push([data.words.indexOf("telescope"), ["telescopes"]]);
  const leaf = data.nodes.findIndex(({ documents, id }) => documents.includes(0) && id.length === 5);
  data.nodes[leaf]!.words = [data.words.indexOf("telescope")];
  data.nodes[leaf]!.weights = [1];
  const page = await open(data, "#doc-0");
  await expect(page.locator(".text mark")).toHaveText(["telescope", "TELESCOPES"]);
});

test("shows a hostile document as text", async ({ open }) => {
  const hostile = `</script><script>alert(1)</script><img src=x onerror="alert(2)"><!-- <svg onload=alert(3)> &lt;b&gt;`;
  const data = sample({ text: hostile, titles: (d) => (d < 3 ? hostile : `Note ${d}`) });
  data.title = data.command = data.notes[0] = data.labels[0] = data.times[0] = hostile;
  data.words[0] = data.nodes[1]!.name = hostile;
  data.settings[hostile] = hostile;
  data.facts.push([hostile, hostile]);
  const page = await open(data);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(hostile);
  for (const place of ["1", "1.1.1", "topics", "time", "classes", "doc-0", "outliers", `search=${encodeURIComponent(hostile)}`, "map"]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await expect(heading(page)).toBeVisible();
    expect(await page.locator("body img, body script, body b, body svg[onload]").count()).toBe(0);
  }
  await page.evaluate(() => (location.hash = "doc-0"));
  await expect(page.locator(".text")).toHaveText(hostile);
});

test("shows right-to-left text and emoji as they are", async ({ open }) => {
  const text = "שלום עולם 🎻👩‍🚀 مرحبا بالعالم";
  const page = await open(sample({ text, titles: () => text }), "#doc-0");
  await expect(heading(page)).toHaveText(text);
  await expect(page.locator(".text")).toHaveCSS("direction", "rtl");
});

test("draws the map and knows what lies under the pointer", async ({ open }) => {
  const page = await open(sample({ documents: 2000 }), "#map");
  await page.waitForFunction("window.copseMap?.lastFrame > 0");
  const canvas = (await page.locator("canvas.points").boundingBox())!;
  const colours = await page.evaluate(() => {
    const map = document.querySelector<HTMLCanvasElement>("canvas.points")!;
    const { data } = map.getContext("2d")!.getImageData(0, 0, map.width, map.height);
    const seen = new Set<number>();
    for (let i = 0; i < data.length; i += 4) if (data[i + 3]! > 200) seen.add((data[i]! << 16) | (data[i + 1]! << 8) | data[i + 2]!);
    return seen.size;
  });
  expect(colours).toBeGreaterThan(8);
  const [x, y] = await mapOf<Place>(page, "map.placeOf(5)");
  const found = await mapOf<number>(page, `map.documentAt(${x}, ${y})`);
  const [fx, fy] = await mapOf<Place>(page, `map.placeOf(${found})`);
  expect(Math.hypot(fx - x, fy - y)).toBeLessThan(0.5); // itself, or one at the same place
  const title = sample({ documents: 2000 }).documents.titles[found]!;
  await page.mouse.move(canvas.x + x, canvas.y + y);
  await expect(page.locator(".tip")).toContainText(title);
  const far = found === 0 ? 1 : 0;
  const before = await mapOf<Place>(page, `map.placeOf(${far})`);
  await page.mouse.wheel(0, -400);
  await expect.poll(() => mapOf<Place>(page, `map.placeOf(${far})`)).not.toEqual(before);
  const [zx, zy] = await mapOf<Place>(page, `map.placeOf(${found})`);
  await page.mouse.click(canvas.x + zx, canvas.y + zy);
  await expect(heading(page)).toHaveText(title);
});

test("moves and zooms the map by keyboard and buttons", async ({ open }) => {
  const page = await open(sample(), "#map");
  await page.waitForFunction("window.copseMap?.lastFrame > 0");
  const place = () => mapOf<Place>(page, "map.placeOf(1)");
  const before = await place();
  await page.locator("canvas.points").focus();
  await page.keyboard.press("ArrowLeft");
  expect((await place())[0] - before[0]).toBeCloseTo(60, 0);
  await page.keyboard.press("+");
  await page.getByRole("button", { name: "Show all" }).click();
  expect(await place()).toEqual(before);
});

test("stays smooth with 100,000 documents", async ({ open }) => {
  const start = Date.now();
  const page: Page = await open(sample({ documents: 100_000, leaves: 60 }), "#map");
  await page.waitForFunction("window.copseMap?.lastFrame > 0");
  const opened = Date.now() - start;
  const canvas = (await page.locator("canvas.points").boundingBox())!;
  await page.mouse.move(canvas.x + canvas.width / 2, canvas.y + canvas.height / 2);
  const frames: number[] = [];
  for (let i = 0; i < 20; ++i) {
    await page.mouse.wheel(0, i < 10 ? -150 : 150);
    await page.waitForTimeout(40);
    frames.push(await mapOf<number>(page, "map.lastFrame"));
  }
  frames.sort((a, b) => a - b);
  const hit = await page.evaluate(() => {
    const map = (window as unknown as { copseMap: MapView }).copseMap;
    map.documentAt(1, 1); // builds the index
    const begin = performance.now();
    for (let i = 0; i < 1000; ++i) map.documentAt((i * 37) % 800, (i * 61) % 600);
    return (performance.now() - begin) / 1000;
  });
  console.log(
    `    open ${opened} ms; frame median ${frames[10]!.toFixed(1)} ms, worst ${frames[19]!.toFixed(1)} ms; hit test ${hit.toFixed(4)} ms`,
  );
  expect(frames[10]!).toBeLessThan(150); // generous: the machine that tests may be busy and has no graphics card
  expect(hit).toBeLessThan(2);
  await page.getByRole("searchbox").fill("violin 9999");
  await expect(page.getByRole("status")).toContainText("document");
});

test("opens what copse writes", async ({ open }) => {
  const program = process.env["COPSE_PROGRAM"];
  test.skip(!program, "COPSE_PROGRAM does not name a program");
  const folder = mkdtempSync(join(tmpdir(), "copse-page-"));
  const { texts, labels } = sample({ documents: 60, leaves: 4 });
  const hostile = "</script><script>alert(1)</script>";
  const line = ([d, text]: [number, string]) =>
    JSON.stringify({ id: `letter ${d}`, text: `${hostile} ${text}`, label: labels[d % 3], date: `20${20 + (d % 4)}-05-01` });
  writeFileSync(join(folder, "letters.jsonl"), `${texts.map(line).join("\n")}\n`);
  const given = ["--leaves", "3", "--id", "id", "--label", "label", "--time", "date", "--quiet", "-o", join(folder, "out")];
  execFileSync(program!, ["tree", join(folder, "letters.jsonl"), ...given]);
  const page = await open(pathToFileURL(join(folder, "out", "report.html")).href);
  await expect(page.locator(".summary")).toContainText("60 documents · 3 topics");
  await expect(page.locator("footer")).toContainText("copse tree");
  for (const place of ["doc-0", "topics", "time", "classes", "map", "1"]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await expect(heading(page)).toBeVisible();
  }
  await expect(page.locator(".documents p").first()).toContainText(hostile);
});

test("leaves out what the data do not have", async ({ open }) => {
  const page = await open(sample({ labels: false, times: false, flat: true, leaves: 5 }), "#time");
  await expect(heading(page)).toHaveText("All documents");
  await expect(page.getByRole("navigation", { name: "Views" }).getByRole("link")).toHaveText(["Topics", "Side by side", "Map"]);
  await expect(tree(page).getByRole("treeitem")).toHaveCount(7); // the root, five topics, outliers
});

test("says what is not inside", async ({ open }) => {
  const data = sample({ documents: 80 });
  const { documents } = data;
  documents.total = 1_000_000;
  documents.titles = documents.titles.filter((_, d) => d % 8 < 4);
  documents.titled = Buffer.from(new Uint8Array(10).fill(0b1111)).toString("base64");
  const page = await open(data, "#doc-5");
  await expect(heading(page)).toHaveText("Document 6");
  await expect(page.locator("footer")).toContainText("80 of 1,000,000 documents are inside, an even sample");
  await expect(page.locator("footer")).toContainText("Titles of 40 of 1,000,000 documents are inside");
});

test("is a page without any document, too", async ({ open }) => {
  const data = sample({ documents: 0, leaves: 1, labels: false, times: false });
  const page = await open(data);
  await expect(heading(page)).toHaveText("All documents");
  await page.evaluate(() => (location.hash = "map"));
  await expect(heading(page)).toHaveText("Map");
});

test("is dark by the system's wish and by the switch", async ({ open, page }) => {
  await page.emulateMedia({ colorScheme: "dark" });
  await open(sample());
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const dark = await ground();
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  expect(await ground()).not.toBe(dark);
  await page.reload();
  expect(await ground()).not.toBe(dark); // the choice is remembered
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  expect(await ground()).toBe(dark);
});

test("prints the whole tree and all topics", async ({ open, page }) => {
  const data = sample();
  await open(data, "#map");
  const words = data.nodes.filter(({ id }) => id.length === 5).map(({ words: [first] }) => data.words[first!]!);
  await page.emulateMedia({ media: "print", colorScheme: "light" });
  for (const word of words) await expect(page.locator(".printed .card", { hasText: word }).first()).toBeVisible();
  await expect(page.locator(".printed .outline li")).toHaveCount(14);
  await expect(page.locator("aside")).toBeHidden();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.locator("html")).toHaveCSS("background-color", "rgb(255, 255, 255)"); // paper is white
});

test("fits a phone", async ({ open, page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  await open(sample());
  for (const place of ["", "1.1.1", "topics", "map", "time", "classes", "doc-0"]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    await expect(heading(page)).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360);
  }
});
