// Sends clicks from pages of other origins as pages do, by `sendBeacon`, in a browser without a window.
//
//   node beacon.mjs PROGRAM
//
// Needs `playwright-core` where node finds it (NODE_PATH), and a Chromium (CHROMIUM, or /usr/bin/chromium).
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "/"));
const { chromium } = require("playwright-core");
const [program] = process.argv.slice(2);

const check = (is, what) => {
  if (!is) throw new Error(what);
};

/** A site of one page, with a link that leaves it. */
const site = () =>
  new Promise((resolve) => {
    const server = createServer((_, answer) => answer.setHeader("content-type", "text/html").end("<a href=/next>next</a>"));
    server.listen(0, "127.0.0.1", () => resolve({ server, port: server.address().port }));
  });

/** Starts a server, and waits for its address. */
const serve = (store, origins) =>
  new Promise((resolve, reject) => {
    const args = ["serve", "--create", "--no-keys", "--store", store, "--listen", "127.0.0.1:0", "--origins", origins, "--log-level", "error"];
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "inherit"] });
    child.stdout.on("data", (bytes) => resolve({ child, url: /serving (http:\S+)/.exec(bytes)[1] }));
    child.on("exit", (code) => reject(new Error(`serve ended with ${code}`)));
  });

const folder = mkdtempSync(join(tmpdir(), "rankduel-beacon-"));
const { server: pages, port } = await site();
// `localhost` is another site than 127.0.0.1, where the server listens.
const listed = `http://localhost:${port}`;
const { child, url } = await serve(join(folder, "a.db"), listed);
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });

const post = async (path, body) => {
  const headers = { "content-type": "application/json" };
  return (await fetch(url + path, { method: "POST", headers, body: JSON.stringify(body) })).json();
};
const taken = async () => (await (await fetch(`${url}/v1/experiments/e`)).json()).clicks.taken;

try {
  await post("/v1/experiments", { name: "e", rankers: ["old", "new"] });
  let unit = 0;
  /** Clicks on a page of this origin; returns whether the click counted, and what the console said. */
  const click = async (origin, kind) => {
    unit += 1;
    const lists = { old: ["o1", "o2"], new: ["n1", "n2"] };
    const { id, shown } = await post("/v1/experiments/e/impressions", { unit: `u${unit}`, lists });
    const event = { action_name: "click", query_id: id, event_attributes: { object: { object_id: shown[0] } } };
    const page = await (await browser.newContext()).newPage();
    const console = [];
    page.on("console", (message) => console.push(message.text()));
    await page.goto(origin);
    const before = await taken();
    const send = ([to, text, kind]) => {
      document.querySelector("a").addEventListener("click", () => {
        navigator.sendBeacon(to, kind ? new Blob([text], { type: kind }) : text);
      });
    };
    await page.evaluate(send, [`${url}/v1/events`, JSON.stringify(event), kind]);
    await page.click("a");
    await page.waitForURL("**/next");
    let is = false;
    for (let tries = 0; tries < 20 && !is; tries += 1) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      is = (await taken()) > before;
    }
    await page.context().close();
    return { is, console };
  };
  for (const kind of [null, "text/plain", "application/json", "application/x-ndjson"]) {
    const { is, console } = await click(listed, kind);
    check(is, `${kind ?? "a string"} did not arrive: ${console}`);
    check(console.length === 0, `${kind ?? "a string"}: ${console}`);
    const other = await click(`http://127.0.0.1:${port}`, kind);
    check(!other.is, `${kind ?? "a string"} arrived from an origin that is not listed`);
  }
  console.log("beacons: strings and blobs arrive from the listed origin, and from no other");
} finally {
  await browser.close();
  child.kill();
  pages.close();
  rmSync(folder, { recursive: true, force: true });
}
