// The page of a graph in a real browser, opened from disk. Every test fails on an error in the console and on any request.
import { expect, test as base, type Page } from "@playwright/test";
import type { GraphDrawing } from "../src/graph_drawing";
import type { GraphPageData } from "../src/graph_model";
import { graphSample } from "./graph_sample";
import { pageWith } from "./sample";

const test = base.extend<{ open: (report: GraphPageData, place?: string) => Promise<Page> }>({
  open: async ({ page }, use) => {
    const wrong: string[] = [];
    page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
    page.on("pageerror", (error) => wrong.push(String(error)));
    page.on("dialog", (dialog) => (wrong.push(dialog.message()), dialog.dismiss()));
    page.on("request", (request) => {
      if (!/^(file|data):/.test(request.url())) wrong.push(request.url());
    });
    await use(async (report, place = "") => {
      await page.goto(pageWith(report) + place);
      return page;
    });
    expect(wrong).toEqual([]);
  },
});

const heading = (page: Page) => page.getByRole("main").getByRole("heading", { level: 2 });
const list = (page: Page) => page.getByRole("navigation", { name: "Communities" });
const drawing = <T>(page: Page, act: (graph: GraphDrawing) => T) =>
  page.evaluate(`(${act})(window.copseGraph)`) as Promise<T>;
const settled = (page: Page) => expect.poll(() => drawing(page, (graph) => graph.settled), { timeout: 20_000 }).toBe(true);

test("opens with the drawing, the communities and how it was made", async ({ open }) => {
  const page = await open(graphSample({ aside: 2 }));
  await expect(page).toHaveTitle("friends.tsv – Copse");
  await expect(page.locator(".summary")).toContainText("62 nodes");
  await expect(page.locator(".summary")).toContainText("5 communities · modularity 0.71");
  await expect(heading(page)).toHaveText("Graph");
  await expect(list(page).getByRole("link")).toHaveCount(5);
  await expect(page.locator(".note")).toContainText("3 components");
  await expect(page.locator("footer")).toContainText("copse graph friends.tsv -k 5");
  await settled(page);
});

test("draws discs that can be pointed at and clicked", async ({ open }) => {
  const page = await open(graphSample());
  await settled(page);
  const [x, y] = await drawing(page, (graph) => graph.placeOf(30));
  const box = (await page.locator("canvas.points").boundingBox())!;
  await page.mouse.move(box.x + x, box.y + y);
  await expect(page.locator(".tip")).toContainText("person 2.6");
  await page.mouse.click(box.x + x, box.y + y);
  await expect(heading(page)).toHaveText("person 2.6");
  await expect(page.getByRole("main")).toContainText("person 2.0, person 2.1, person 2.2");
});

test("shows a community with its central nodes and its neighbours", async ({ open }) => {
  const page = await open(graphSample({ classes: true, features: true }));
  await list(page).getByRole("link").nth(1).click();
  await expect(heading(page)).toContainText("red, round, sweet 1");
  const main = page.getByRole("main");
  await expect(main.getByRole("heading", { name: "Central nodes" })).toBeVisible();
  await expect(main.locator("table").first().locator("tbody tr").first()).toContainText("person 1.0");
  await expect(main).toContainText("left");
  await expect(main).toContainText("round");
  await main.getByRole("link", { name: "red, round, sweet 2" }).click();
  await expect(heading(page)).toContainText("red, round, sweet 2");
  await expect(list(page).locator("a[aria-current]")).toContainText("red, round, sweet 2");
});

test("shows the matrix and says what lies under the pointer", async ({ open }) => {
  const page = await open(graphSample(), "#matrix");
  await expect(heading(page)).toHaveText("Matrix");
  const box = (await page.locator("canvas.matrix").boundingBox())!;
  await page.mouse.move(box.x + box.width * 0.1, box.y + box.height * 0.1);
  await expect(page.locator("[aria-live]")).toContainText("Inside 0");
  await page.mouse.move(box.x + box.width * 0.9, box.y + box.height * 0.1);
  await expect(page.locator("[aria-live]")).toContainText("Between 0");
  // Squares along the diagonal are darker than the rest.
  const shades = await page.locator("canvas.matrix").evaluate((canvas: HTMLCanvasElement) => {
    const pixel = (x: number, y: number) => canvas.getContext("2d")!.getImageData(x, y, 1, 1).data[0]!;
    return [pixel(3, 5), pixel(3, 50)];
  });
  expect(shades[0]).toBeLessThan(shades[1]!);
});

test("finds nodes by name", async ({ open }) => {
  const page = await open(graphSample());
  await page.keyboard.press("/");
  await page.keyboard.type("person 3.4");
  await expect(heading(page)).toContainText("person 3.4");
  await page.getByRole("main").getByRole("link", { name: "person 3.4" }).click();
  await expect(heading(page)).toHaveText("person 3.4");
});

test("lists all communities with their measures", async ({ open }) => {
  const page = await open(graphSample({ classes: true, aside: 3 }), "#communities");
  await expect(page.getByRole("main").locator("tbody tr")).toHaveCount(5);
  await expect(page.getByRole("main")).toContainText("3 small pieces with 3 nodes");
  await expect(page.getByRole("main")).toContainText("modularity0.71");
});

test("shows names as text, whatever is in them", async ({ open }) => {
  const page = await open(graphSample({ name: (node) => `<img src=x onerror=alert(${node})>` }), "#0");
  await expect(heading(page)).toContainText("<img src=x onerror=alert(0)>");
  expect(await page.locator("main img").count()).toBe(0);
});

test("draws a large graph as its communities", async ({ open }) => {
  const page = await open(graphSample({ communities: 30, size: 20, drawn: false }));
  await expect(page.getByRole("main")).toContainText("Each disc is a community");
  const [x, y] = await drawing(page, (graph) => graph.placeOf(4));
  const box = (await page.locator("canvas.points").boundingBox())!;
  await page.mouse.click(box.x + x, box.y + y);
  await expect(heading(page)).toContainText("4");
});

test("fits a phone and follows the theme", async ({ open, page: bare }) => {
  await bare.setViewportSize({ width: 380, height: 740 });
  const page = await open(graphSample({ classes: true }));
  for (const place of ["", "#communities", "#matrix", "#1"]) {
    await page.evaluate((hash) => (location.hash = hash), place);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
    expect(wide, place).toBeLessThanOrEqual(0);
  }
  await page.getByRole("button", { name: "Switch between light and dark" }).click();
  await expect(page.locator("html")).toHaveAttribute("data-theme", "dark");
});
