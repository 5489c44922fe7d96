// Uses the shop as people do: they search, turn pages, click and buy, on phones and desktops, in the experiment and outside. Then the
// experimenter raises the share, looks at the experiment's page and ships a ranker.
//
//   node click.mjs SHOP LIVE [FOLDER]
//
// With a folder, pictures of the pages are left there. Needs `playwright-core` where node finds it (NODE_PATH), and a Chromium (CHROMIUM, or
// /usr/bin/chromium).
import { createRequire } from "node:module";
import { join } from "node:path";

const require = createRequire(join(process.env.NODE_PATH ?? process.cwd(), "/"));
const { chromium, devices } = require("playwright-core");
const [shop, live, folder] = process.argv.slice(2);
const experiment = `${live}/v1/experiments/shop`;
const check = (is, what) => {
  if (!is) throw new Error(what);
};
const status = async () => (await fetch(experiment)).json();
/** The status, once what was sent has arrived. */
const statusOf = async (has) => {
  let found;
  for (let looks = 0; looks < 50; looks += 1) {
    found = await status();
    if (has(found)) return found;
    await new Promise((done) => setTimeout(done, 100));
  }
  return found;
};
const picture = async (page, name) => folder && page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
const documents = (page) => page.locator("#results a").evaluateAll((links) => links.map((link) => link.dataset.id));

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const wrong = [];
/** A new user, in a browser without cookies. */
const person = async (device) => {
  const page = await (await browser.newContext(device)).newPage();
  page.on("console", (message) => wrong.push(message.text()));
  return page;
};
const search = async (page, query) => {
  await page.goto(shop);
  await page.fill("input", query);
  await page.keyboard.press("Enter");
  await page.waitForSelector("#results li");
};
let clicks = 0;
const click = async (page, place) => {
  const link = page.locator("#results a").nth(place);
  const counts = (await link.getAttribute("data-id")) !== "advert";
  // A page does not read the answer to a beacon; the server's counts are checked at the end.
  const sent = counts ? page.waitForRequest((request) => request.url().endsWith("/v1/events")) : undefined;
  await link.click();
  await sent;
  clicks += counts ? 1 : 0;
};
/** The actions of a user in the experiment. */
const browse = async (page) => {
  const before = await documents(page);
  await page.reload();
  check(before.join() === (await documents(page)).join(), "a reload shows the same list");
  await click(page, 0);
  await click(page, 2);
  await page.click("#next");
  await page.waitForURL(/seen=5/);
  check((await page.locator("#results li").count()) === 5, "page 2 has no advertisement");
  await click(page, 1);
  await page.click("#next");
  await page.waitForURL(/seen=10/);
  check((await page.locator("#next").count()) === 0, "page 3 is the last");
};
const buy = async (page) => {
  const button = page.locator("#results button").first();
  await button.click();
  await page.waitForFunction(() => [...document.querySelectorAll("#results button")].some((found) => found.textContent === "Ordered"));
};

try {
  const queries = ["red shoes", "wool hat", "bag for the city", "black boots"];
  const inside = { phone: 0, desktop: 0 };
  let outside;
  let units = 0;
  // Half of the users are in: people come until there are some of each kind.
  for (let n = 0; n < 60 && (!outside || inside.phone === 0 || inside.desktop === 0); n += 1) {
    const kind = n % 2 === 0 ? "desktop" : "phone";
    const page = await person(kind === "phone" ? devices["Pixel 5"] : undefined);
    await search(page, queries[n % 4]);
    check((await page.locator("#results li").count()) === 6, "five products and the advertisement");
    check((await page.locator("#results li").nth(2).textContent()).includes("Gift card"), "the advertisement is third");
    if ((await page.locator("#next").count()) === 0) {
      // A user outside the experiment sees a list like any other; nothing about it is logged.
      outside ??= page;
      continue;
    }
    await picture(page, `shop-${kind}`);
    inside[kind] += 1;
    units += 1;
    await browse(page);
    // The products may be on any page of the search.
    await buy(page);
    await page.context().close();
  }
  check(outside && inside.phone > 0 && inside.desktop > 0, `half of all are in: ${JSON.stringify(inside)}`);
  let told = await statusOf((found) => found.clicks.taken >= clicks);
  check(told.share.now === 0.5 && told.impressions.asked === units, `a reload is no impression of its own: ${told.impressions.asked}`);
  check(told.clicks.taken === clicks, `${clicks} clicks were sent, ${told.clicks.taken} taken`);
  const [phone, desktop] = told.segments.each;
  check(phone.units === inside.phone && desktop.units === inside.desktop, `segments: ${JSON.stringify(told.segments)}`);
  check(told.outcomes.taken === units, `${units} orders were sent, ${told.outcomes.taken} taken`);

  const raised = await fetch(`${experiment}/share`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ share: 1, why: "nothing broke" }),
  });
  check(raised.status === 200, `the share is raised: ${raised.status}`);
  await search(outside, "green jacket");
  check((await outside.locator("#next").count()) === 1, "whoever was outside is in now");
  await browse(outside);
  told = await statusOf((found) => found.clicks.taken >= clicks);
  check(told.share.now === 1 && told.impressions.asked === units + 1 && told.clicks.taken === clicks, "one more is in");

  // The experimenter looks at the page of the experiment, and ships a ranker.
  const page = await person();
  await page.goto(`${live}/e/shop`);
  check((await page.locator("#segments").textContent()).includes("phone"), "the page has both segments");
  await picture(page, "page-running");
  await page.locator("details.ship summary").click();
  await page.locator("details.ship select").selectOption("text");
  await page.locator("details.ship input[name=why]").fill("the shop's own test");
  await Promise.all([page.waitForNavigation(), page.locator("details.ship button").click()]);
  told = await statusOf((found) => found.state === "shipped");
  check(told.state === "shipped" && told.fallback === "text", `shipped: ${told.state}, ${told.fallback}`);
  await page.goto(`${live}/e/shop`);
  check((await page.locator("#headline").textContent()).includes("text was shipped"), "the page says what was shipped");
  await picture(page, "page-shipped");
  // From now on all users get that list, and nothing is logged.
  await search(outside, "blue shirt");
  check((await outside.locator("#next").count()) === 0 && (await documents(outside)).length === 6, "the shipped list is shown");
  check((await status()).impressions.asked === units + 1, "nothing more is logged");
  check(wrong.length === 0, wrong.join("; "));
  const counts = `${units + 1} impressions, ${clicks} clicks, ${told.outcomes.taken} orders`;
  console.log(`shop: ${counts}, share raised, text shipped: all checks passed`);
} finally {
  await browser.close();
}
