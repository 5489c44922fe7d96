// Looks at the pages of a server as a person does, in a browser without a window: screenshots in both colours and at two widths, print,
// keyboard alone, rules of accessibility, a clean console, and no request that leaves the host.
//
//   node page.mjs PROGRAM FOLDER-OF-SCREENSHOTS
//
// `browser.mjs` lists the requirements.
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, request as ask } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { browser, check, clean, open, rules } from "./browser.mjs";

const [program, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });

const started = [];
const folder = mkdtempSync(join(tmpdir(), "rankduel-page-"));

/** Starts the program, and waits for its address. */
const start = (...args) =>
  new Promise((resolve, reject) => {
    const begun = Date.now();
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    started.push(child);
    let text = "";
    child.stdout.on("data", (bytes) => {
      text += bytes;
      const url = /serving (http:\S+)/.exec(text)?.[1];
      if (url) resolve({ url, begun, child, text: () => text });
    });
    child.on("exit", (code) => reject(new Error(`${args[0]} ended with ${code}`)));
  });

/** The stops of the Tab key, in order: texts of links, buttons and summaries, names of fields. */
const reached = async (page) => {
  const names = [];
  // From the beginning of the page.
  await page.reload();
  for (let presses = 0; presses < 80; presses += 1) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => {
      const at = document.activeElement;
      return at === document.body ? null : (at.name || at.getAttribute("aria-label") || at.innerText).trim();
    });
    if (name === null) break;
    names.push(name);
  }
  return names;
};

try {
  const demo = await start("demo", "--listen", "127.0.0.1:0");
  const { url } = demo;
  const host = new URL(url).host;
  while (!demo.text().includes("twelve days have passed")) await new Promise((done) => setTimeout(done, 50));
  console.log(`demo: ${((Date.now() - demo.begun) / 1000).toFixed(1)} s to a page with twelve days`);

  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      for (const [name, path] of [["list", "/"], ["two", "/e/product-search"], ["ramp", "/e/product-search-v2"], ["five", "/e/help-pages"], ["guardrail", "/e/new-index"]]) {
        const page = await open({ viewport: { width, height }, colorScheme }, [host]);
        const where = `${name}-${width}-${colorScheme}`;
        await page.goto(url + path);
        check(await page.locator("h1").count() === 1, `${where}: one heading`);
        check((await page.textContent("body")).includes("simulated"), `${where}: it says that users are simulated`);
        if (path !== "/") await page.waitForFunction(() => document.getElementById("connection").textContent === "live");
        const wide = await page.evaluate(() => document.documentElement.scrollWidth);
        check(wide <= width, `${where}: ${wide} pixels wide`);
        await page.screenshot({ path: join(shots, `${where}.png`), fullPage: true });
        await rules(page, where);
        for (const summary of await page.locator("details.data > summary").all()) await summary.click();
        await rules(page, `${where} with all tables`);
        clean(page, where);
        await page.context().close();
      }
    }
  }

  // The page updates itself, and sections that a reader has opened stay open.
  const page = await open({ viewport: { width: 1280, height: 900 } }, [host]);
  await page.goto(`${url}/e/help-pages`);
  await page.locator("#traffic details.data > summary").click();
  const before = await page.textContent("#figures");
  await page.waitForFunction((text) => document.getElementById("figures").textContent !== text, before);
  await page.waitForTimeout(2500);
  check(await page.locator("#traffic details[open]").count() === 1, "a table that was opened is still open");
  check((await page.getAttribute("#headline", "aria-live")) === "polite", "the headline is announced");

  // A word leads to its definition with the keyboard, also while the part around it changes.
  await page.locator("#figures a.word[href='#word-champion']").focus();
  const figures = await page.textContent("#figures");
  await page.waitForFunction((text) => document.getElementById("figures").textContent !== text, figures);
  check((await page.evaluate(() => document.activeElement.hash)) === "#word-champion", "a word keeps the focus");
  await page.keyboard.press("Enter");
  check(await page.locator("#word-champion").isVisible(), "the definition is shown");
  await page.goto(`${url}/e/help-pages`);

  // The list moves, too.
  const list = await open({ viewport: { width: 1280, height: 900 } }, [host]);
  await list.goto(url);
  const counted = await list.textContent(".experiments");
  await list.waitForFunction((text) => document.querySelector(".experiments").textContent !== text, counted);
  clean(list, "the list");
  await list.context().close();

  // Paper.
  await page.pdf({ path: join(shots, "print.pdf"), format: "A4" });
  await page.emulateMedia({ media: "print" });
  check(!(await page.locator(".controls").isVisible()), "no buttons on paper");
  await page.emulateMedia({ media: "screen" });

  // Keyboard alone: every control is reached, and kill asks before.
  const names = await reached(page);
  for (const wanted of ["To the content", "rankduel", "Pause…", "End…", "Kill…"]) {
    check(names.includes(wanted), `Tab reaches ${wanted}: ${names.join(" | ")}`);
  }
  const press = async (name, keys) => {
    for (let presses = 0; presses < 80; presses += 1) {
      await page.keyboard.press("Tab");
      const at = await page.evaluate(() => (document.activeElement.name || document.activeElement.innerText).trim());
      if (at === name) break;
    }
    for (const key of keys) await page.keyboard.press(key);
  };
  await press("Kill…", ["Enter"]);
  check(await page.getByText("Yes, kill help-pages").isVisible(), "kill asks before");
  check(!(await page.textContent("#headline")).includes("Killed"), "kill does nothing yet");
  await press("why", []);
  await page.keyboard.type("a test <b>");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.getElementById("headline").textContent.includes("Killed since"));
  check((await page.textContent("#changes")).includes("a test <b>"), "the reason is text");
  await page.screenshot({ path: join(shots, "killed-1280.png"), fullPage: true });
  await press("Resume…", ["Enter"]);
  await page.getByText("Resume help-pages").click();
  await page.waitForFunction(() => !document.getElementById("headline").textContent.includes("Killed since"));
  await rules(page, "an experiment that was resumed");
  clean(page, "the controls");
  await page.context().close();

  // Behind a proxy that serves it below a path, with keys.
  const store = join(folder, "store.db");
  const key = execFileSync(program, ["keys", "add", "admin", "--create", "--label", "anna", "--store", store], { encoding: "utf8" }).trim();
  const served = await start("serve", "--store", store, "--listen", "127.0.0.1:0", "--log-level", "warn");
  const proxy = createServer((request, response) => {
    if (!request.url.startsWith("/rank/")) {
      response.writeHead(404).end();
      return;
    }
    const { hostname, port } = new URL(served.url);
    const path = request.url.slice("/rank".length);
    const passed = ask({ hostname, port, path, method: request.method, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    passed.on("error", () => response.destroy());
    response.on("close", () => passed.destroy());
    request.pipe(passed);
  });
  await new Promise((done) => proxy.listen(0, "127.0.0.1", done));
  const outside = `127.0.0.1:${proxy.address().port}`;
  const made = await fetch(`${served.url}/v1/experiments`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "search", rankers: ["<i>old</i>", "new"] }),
  });
  check(made.status === 201, `an experiment: ${made.status}`);
  const reader = await open({ viewport: { width: 1280, height: 900 } }, [outside]);
  await reader.goto(`http://${outside}/rank/e/search`);
  check(reader.url() === `http://${outside}/rank/sign-in?next=e/search`, `to the form: ${reader.url()}`);
  await rules(reader, "the form");
  await reader.screenshot({ path: join(shots, "sign-in.png") });
  await reader.keyboard.type(key);
  await reader.keyboard.press("Enter");
  await reader.waitForURL(`http://${outside}/rank/e/search`);
  await reader.waitForFunction(() => document.getElementById("connection").textContent === "live");
  check((await reader.textContent("body")).includes("<i>old</i>"), "names are text");
  await reader.getByText("Pause…").click();
  await reader.getByRole("button", { name: "Pause search" }).click();
  await reader.waitForFunction(() => document.getElementById("headline").textContent.includes("Paused since"));
  check((await reader.textContent("#changes")).includes("anna (key 1)"), "who it was");
  await reader.getByText("Sign out").click();
  await reader.waitForURL(`http://${outside}/rank/sign-in`);
  clean(reader, "behind a proxy");
  proxy.closeAllConnections();
  proxy.close();
  console.log("pages: all checks passed");
} finally {
  await browser.close();
  for (const child of started) {
    child.removeAllListeners("exit");
    child.kill("SIGTERM");
  }
  rmSync(folder, { recursive: true, force: true });
}
