import { readFileSync } from "node:fs";
import type { Plugin } from "vite";
import { viteSingleFile } from "vite-plugin-singlefile";
import { defineConfig } from "vitest/config";

// The licences of the packages inside ask that they go along with every copy.
const licences: Plugin = {
  name: "licences",
  transformIndexHtml: {
    order: "post",
    handler(html, { bundle }) {
      const modules = Object.values(bundle ?? {}).flatMap((chunk) => ("moduleIds" in chunk ? chunk.moduleIds : []));
      const packages = new Map<string, string[]>(); // licence, names
      for (const folder of new Set(modules.map((id) => /^.*\/node_modules\/[^/]+/.exec(id)?.[0]))) {
        if (!folder) continue;
        const text = readFileSync(`${folder}/LICENSE`, "utf8").trim().replaceAll("--", "- -");
        packages.set(text, [...(packages.get(text) ?? []), folder.replace(/.*\//, "")]);
      }
      const notices = [...packages].map(([text, names]) => `With ${names.join(", ")}:\n\n${text}`);
      return notices.length ? `${html.trimEnd()}\n<!--\n${notices.join("\n\n")}\n-->\n` : html;
    },
  },
};

export default defineConfig({
  plugins: [viteSingleFile({ removeViteModuleLoader: true }), licences],
  build: { target: "es2022", assetsInlineLimit: Infinity },
  test: { include: ["src/**/*_test.ts"] },
});
