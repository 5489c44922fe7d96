// Shared by the scripts of this folder that look at pages: a browser without a window, pages that note errors, and rules of accessibility.
// Needs `playwright-core` and `axe-core` where node finds them (NODE_PATH), and a Chromium (CHROMIUM, or /usr/bin/chromium).
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "/"));
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");

export const check = (is, what) => {
  if (!is) throw new Error(what);
};

export const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});

/** A page that notes what goes wrong. */
export const open = async (options, hosts) => {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  page.wrong = [];
  page.on("console", (message) => message.type() !== "log" && page.wrong.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => page.wrong.push(`error: ${error}`));
  page.on("request", (request) => {
    const { host, protocol } = new URL(request.url());
    if (protocol !== "data:" && !hosts.includes(host)) page.wrong.push(`request to ${host}`);
  });
  return page;
};

/** Fails if a rule of accessibility is broken. */
export const rules = async (page, where) => {
  await page.evaluate(axe);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ["violations"] }));
  const all = found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target).join(" ")}`);
  check(all.length === 0, `${where}: ${all.join("; ")}`);
};

export const clean = (page, where) => check(page.wrong.length === 0, `${where}: ${page.wrong.join("; ")}`);
