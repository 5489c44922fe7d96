// Uses the shop as a person does: searches, turns pages, clicks products and the advertisement. Then asks the live server what it
// counted.
//
//   node click.mjs SHOP LIVE
//
// Needs `playwright-core` where node finds it (NODE_PATH), and a Chromium (CHROMIUM, or /usr/bin/chromium).
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "/"));
const { chromium } = require("playwright-core");
const [shop, live] = process.argv.slice(2);
const check = (is, what) => {
  if (!is) throw new Error(what);
};

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
let clicks = 0;
try {
  for (const query of ["red shoes", "wool hat", "bag for the city", "black boots"]) {
    // A person of its own each: nobody has been here before.
    const page = await (await browser.newContext()).newPage();
    const wrong = [];
    page.on("console", (message) => wrong.push(message.text()));
    await page.goto(shop);
    await page.fill("input", query);
    await page.keyboard.press("Enter");
    await page.waitForSelector("#results li");
    check((await page.locator("#results li").count()) === 6, "five products and the advertisement");
    check((await page.locator("#results li").nth(2).textContent()).includes("Gift card"), "the advertisement is third");
    const before = await page.locator("#results a").evaluateAll((links) => links.map((link) => link.dataset.id));
    await page.reload();
    const after = await page.locator("#results a").evaluateAll((links) => links.map((link) => link.dataset.id));
    check(before.join() === after.join(), "a reload shows the same list");
    const click = async (place) => {
      const link = page.locator("#results a").nth(place);
      const counts = (await link.getAttribute("data-id")) !== "advert";
      // Nobody sees the answer to a beacon; what the server took is asked in the end.
      const sent = counts ? page.waitForRequest((request) => request.url().endsWith("/v1/events")) : undefined;
      await link.click();
      await sent;
      clicks += counts ? 1 : 0;
    };
    await click(0);
    await click(2);
    await page.click("#next");
    await page.waitForURL(/seen=5/);
    check((await page.locator("#results li").count()) === 5, "page 2 has no advertisement");
    await click(1);
    await page.click("#next");
    await page.waitForURL(/seen=10/);
    check((await page.locator("#next").count()) === 0, "page 3 is the last");
    check(wrong.length === 0, wrong.join("; "));
    await page.context().close();
  }
} finally {
  await browser.close();
}
let status;
for (let looks = 0; looks < 50; looks += 1) {
  status = await (await fetch(`${live}/v1/experiments/shop`)).json();
  if (status.clicks.taken >= clicks) break;
  await new Promise((done) => setTimeout(done, 100));
}
check(clicks === 8 && status.clicks.taken === clicks, `${clicks} clicks were sent, ${status.clicks.taken} taken`);
check(status.impressions.asked === 4, `a reload is no impression of its own: ${status.impressions.asked}`);
console.log(`shop: ${status.impressions.asked} impressions, ${status.clicks.taken} clicks: all checks passed`);
