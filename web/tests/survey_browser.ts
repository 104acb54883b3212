// The view of a survey in a real browser: every picture is drawn, from what it should be drawn from.
import { type Locator, expect, test } from "@playwright/test";
import type { SurveyData } from "../src/survey";
import { graphSample } from "./graph_sample";
import { pageWith, random, sample } from "./sample";

// Three clusters of 40 items: strength is 1 at 3 and falls, the consensus has three blocks.
function survey(): SurveyData {
  const draw = random(3);
  const ks = [2, 3, 4, 5, 6];
  const clusters = Array.from({ length: 120 }, (_, i) => Math.floor(i / 40));
  return {
    question: "clusters",
    k: 3,
    sentence: "3 clusters. They come back in halves of the items (recurrence 1.00, by chance 0.10, p < .01).",
    sure: 0.98,
    possible: [],
    choices: [
      { measure: "gps", answers: "clusters", k: 3 },
      { measure: "hold-out", answers: "components", k: 4 },
    ],
    runs: { planned: 300, done: 300 },
    rows: ks.map((k) => ({
      k,
      runs: 60,
      failed: 0,
      prediction_strength: k === 3 ? 1 : 1.2 / k,
      prediction_strength_deviation: k === 3 ? 0 : 0.1,
      null_strength: 1 / k,
      null_strength_deviation: 0.05,
      p_value: k === 3 ? 0.04 : 0.3,
      recurrence: k === 3 ? 1 : 0.5 / k,
      recurrence_deviation: 0.02,
      null_recurrence: 0.1,
      null_recurrence_deviation: 0.05,
      shuffled_recurrence: 0.05,
      shuffled_recurrence_deviation: 0.05,
      recurrence_p_value: k === 3 ? 0.005 : 0.3,
      resampled_dispersion: k === 3 ? 1 : 0.8,
      silhouette: 1 - 0.1 * k,
      perturbed_silhouette: 1 - 0.08 * k,
      hidden_error: 0.09 - 0.002 * k + 0.0004 * k * k,
      hidden_error_deviation: 0.001,
    })),
    flows: [
      { from: 2, to: 3, counts: [[40, 40, 0], [0, 0, 40]] },
      { from: 3, to: 4, counts: [[40, 0, 0, 0], [0, 38, 2, 0], [0, 0, 1, 39]] },
    ],
    persistence: { ks, topics: ["1", "2", "3"], values: [[1, 1, 0.99, 0.98, 0.97], [0.4, 1, 0.95, 0.9, 0.3], [0.2, 0.97, 0.1, 0, null]] },
    consensus: {
      k: 3,
      items: clusters.map((_, i) => i),
      clusters,
      lines: clusters.map((a) => clusters.map((b) => (a === b ? "z" : draw() < 0.1 ? "3" : "0")).join("")),
    },
  };
}

test("draws what the survey found", async ({ page }) => {
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  const report = { ...sample({ flat: true, leaves: 3, documents: 120 }), survey: survey() };
  await page.goto(`${pageWith(report)}#survey`);
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText("How many clusters");
  await expect(page.locator(".verdict")).toContainText("3 clusters.");
  await expect(page.getByRole("link", { name: "How many" })).toHaveAttribute("aria-current", "page");
  await expect(page.locator("figure.survey")).toHaveCount(7);
  // A point for every k of all curves, and the p-value of the verdict.
  await expect(page.locator("figure.survey").first().locator("circle.own")).toHaveCount(5);
  await expect(page.locator("figure.survey").first().locator("circle.null")).toHaveCount(5);
  await expect(page.locator("figure.survey").first().locator("circle.shuffled")).toHaveCount(5);
  await expect(page.locator("figure.survey").first()).toContainText("p < .01");
  await expect(page.locator("figure.survey").nth(1).locator("circle.own")).toHaveCount(5);
  await expect(page.locator("figure.survey").nth(1)).toContainText("p .04");
  await expect(page.locator(".ribbon")).toHaveCount(8);
  // The middle of a block is dark, a place beside it is light.
  const [dark, light] = await page.locator("canvas.consensus").evaluate((canvas: HTMLCanvasElement) => {
    const context = canvas.getContext("2d")!;
    return [context.getImageData(20, 20, 1, 1).data[0]!, context.getImageData(20, 60, 1, 1).data[0]!];
  });
  expect(dark).toBeLessThan(60);
  expect(light).toBeGreaterThan(200);
  await expect(page.locator("table.choices tbody tr")).toHaveCount(2);
  // A strip for each cluster, by the name that it has elsewhere, with numbers for those who do not see colours.
  const strips = page.locator("table.persistence tbody tr");
  await expect(strips).toHaveCount(3);
  await expect(strips.first().locator("td")).toHaveText(["1.00", "1.00", ".99", ".98", ".97"]);
  await expect(strips.nth(2).locator("td").last()).toHaveText("?");
  await expect(page.locator("table.persistence thead .strong")).toHaveText("3");
  const name = await strips.nth(1).getByRole("rowheader").innerText();
  expect(name).not.toBe("2");
  await expect(strips.nth(1).locator("td").first()).toHaveAttribute("title", `${name}, k = 2: .40`);
  const red = (cell: Locator) => cell.evaluate((td) => Number(/\d+/.exec(getComputedStyle(td).backgroundColor)![0]));
  expect(await red(strips.nth(0).locator("td").first())).toBeLessThan(60);
  expect(await red(strips.nth(2).locator("td").nth(3))).toBeGreaterThan(240);
  await strips.nth(1).getByRole("link").click();
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toContainText(name);
  await page.goBack();
  const drawn = await page.locator("canvas.scatter").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height);
    return data.some((value) => value > 0);
  });
  expect(drawn).toBe(true);
  if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/survey.png`, fullPage: true });
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/survey-phone.png`, fullPage: true });
  expect(wrong).toEqual([]);
});

test("has no such view without a survey", async ({ page }) => {
  await page.goto(`${pageWith(sample())}#survey`);
  await expect(page.getByRole("link", { name: "How many" })).toHaveCount(0);
});

test("is a view of a graph's page as well", async ({ page }) => {
  const wrong: string[] = [];
  page.on("console", (message) => message.type() === "error" && wrong.push(message.text()));
  page.on("pageerror", (error) => wrong.push(String(error)));
  await page.goto(`${pageWith({ ...graphSample({ communities: 3, size: 40 }), survey: survey() })}`);
  await page.getByRole("link", { name: "How many" }).click();
  await expect(page.getByRole("main").getByRole("heading", { level: 2 })).toHaveText("How many clusters");
  await expect(page.locator(".verdict")).toContainText("3 clusters.");
  // All but the scatter of weights.
  await expect(page.locator("figure.survey")).toHaveCount(6);
  await expect(page.locator("canvas.scatter")).toHaveCount(0);
  await expect(page.locator(".ribbon")).toHaveCount(8);
  if (process.env["PICTURES"]) await page.screenshot({ path: `${process.env["PICTURES"]}/survey-graph.png`, fullPage: true });
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  // A page without a survey has no such view, and its address shows the drawing.
  await page.goto(`${pageWith(graphSample())}#survey`);
  await expect(page.getByRole("link", { name: "How many" })).toHaveCount(0);
  await expect(page.locator(".survey-view")).toHaveCount(0);
  expect(wrong).toEqual([]);
});
