// Judges at the page as a person does, in a browser without a window: keyboard alone, both colours, two widths, rules of accessibility, a
// clean console, no request that leaves the host, and answers in hostile Markdown.
//
//   node judge.mjs PROGRAM FOLDER-OF-SCREENSHOTS
//
// `browser.mjs` lists the requirements.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { browser, check, clean, open as opened, rules } from "./browser.mjs";

const [program, shots] = process.argv.slice(2);
mkdirSync(shots, { recursive: true });

const hostile = [
  "<script>document.title = 'hacked'</script>",
  "<img src='https://example.org/pixel.png' onerror=\"document.title = 'hacked'\">",
  "![pixel](https://example.org/pixel.png)",
  "[follow me](javascript:document.title='hacked')",
  "<style>* { display: none }</style>",
  "<form action='/say'><button data-key='1'>1</button></form>",
].join("\n\n");
const texts = [["item", "competitor", "text", "question"].join(",")];
const cell = (text) => `"${text.replaceAll('"', '""')}"`;
for (let item = 0; item < 6; item++) {
  for (const [at, name] of ["alpha", "beta", "gamma"].entries()) {
    const long = Array.from({ length: 40 }, (_, line) => `Line ${line} of an answer with \`code\`.`).join("\n\n");
    const text = `## Answer\n\nThis is **text ${at}**, with [a link](https://example.org).\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${long}\n\n${hostile}`;
    texts.push([`q${item}`, name, text, `What is *${item}*?`].map(cell).join(","));
  }
}
const folder = mkdtempSync(join(tmpdir(), "rankduel-judge-"));
writeFileSync(join(folder, "answers.csv"), texts.join("\n") + "\n");

const args = ["judge", "--state", "session.jsonl", "--texts", "answers.csv", "--judges", "anna,ben", "--listen", "127.0.0.1:0"];
const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "ignore"] });
const links = await new Promise((resolve, reject) => {
  let text = "";
  child.stdout.on("data", (bytes) => {
    text += bytes;
    if (text.includes("answers are in")) resolve(Object.fromEntries([...text.matchAll(/^(\w+): (http:\S+)$/gm)].map((found) => found.slice(1))));
  });
  child.on("exit", (code) => reject(new Error(`judge ended with ${code}`)));
});
const host = new URL(links.anna).host;

const open = async (url, options) => {
  const page = await opened(options, [host]);
  await page.goto(url);
  return page;
};
const ticket = (page) => page.inputValue("input[name=ticket]");
/** Presses a key, and waits for the next page. */
const press = async (page, key) => {
  await Promise.all([page.waitForNavigation(), page.keyboard.press(key)]);
};
const events = () => readFileSync(join(folder, "session.jsonl"), "utf8").trim().split("\n").map((line) => JSON.parse(line));

try {
  for (const [width, height] of [[1280, 900], [390, 844]]) {
    for (const colorScheme of ["light", "dark"]) {
      const where = `${width} ${colorScheme}`;
      const page = await open(links.anna, { viewport: { width, height }, colorScheme });
      check((await page.title()).startsWith("Question "), `${where}: the title is ${await page.title()}`);
      for (const name of ["alpha", "beta", "gamma"]) check(!(await page.content()).includes(name), `${where}: it names ${name}`);
      check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${where}: wider than the screen`);
      check((await page.$$(".text img, .text script, .text form, .text style, [onerror]")).length === 0, `${where}: HTML of an answer`);
      await rules(page, where);
      if (width > 1000) {
        // Side by side, both scroll.
        const scrolled = await page.evaluate(async () => {
          const [one, other] = document.querySelectorAll(".answer .text");
          one.scrollTop = one.scrollHeight;
          await new Promise((done) => setTimeout(done, 100));
          return [one.scrollTop, other.scrollTop];
        });
        check(scrolled[0] > 100 && scrolled[1] > 100, `${where}: scrolled to ${scrolled}`);
      }
      await page.screenshot({ path: join(shots, `judge-${width}-${colorScheme}.png`), fullPage: true });
      clean(page, where);
      await page.context().close();
    }
  }

  // Two judges at the same time, with keys alone.
  const [anna, ben] = [await open(links.anna, {}), await open(links.ben, {})];
  check((await ticket(anna)) !== (await ticket(ben)), "two judges are asked the same ticket");
  const first = await ticket(anna);
  await press(anna, "1");
  await press(ben, "2");
  check((await anna.title()) === "Question 2", `after an answer: ${await anna.title()}`);
  await press(anna, "u");
  check((await ticket(anna)) === first && (await anna.textContent(".told")).includes("Taken back"), "the first is not shown again");
  await press(anna, "0");
  await press(anna, "s");
  await press(anna, "9");
  // A note: while it is written, keys are letters.
  await anna.keyboard.press("n");
  await anna.keyboard.type("12 s: both are wrong");
  await anna.keyboard.press("Escape");
  await press(anna, "2");
  const said = events().filter((event) => event.event !== "asked" && event.event !== "created");
  const words = said.map((event) => event.verdict ?? event.event);
  check(words.join() === "first,second,taken-back,tie,forgotten,both bad,second", `said: ${words}`);
  check(said.at(-1).note === "12 s: both are wrong", `the note: ${said.at(-1).note}`);

  // Tab reaches all there is, and Enter presses it.
  const reached = [];
  for (let at = 0; at < 40; at++) {
    await anna.keyboard.press("Tab");
    const name = await anna.evaluate(() => document.activeElement.dataset.key ?? document.activeElement.className);
    reached.push(name);
  }
  for (const name of ["skip", "text", "1", "2", "0", "9", "s", "u"]) check(reached.includes(name), `Tab does not reach ${name}: ${reached}`);
  await anna.focus("[data-key='2']");
  await press(anna, "Enter");
  check(events().at(-2).verdict === "second", "Enter does not press a button");
  // Going back shows the open question, not the answered one.
  const now = await ticket(anna);
  await anna.goBack();
  check((await ticket(anna)) === now, "a page of before is shown");
  check((await anna.title()) !== "hacked" && (await ben.title()) !== "hacked", "an answer did something");
  clean(anna, "anna");
  clean(ben, "ben");

  // Without scripts, the same.
  const plain = await open(links.ben, { javaScriptEnabled: false });
  await Promise.all([plain.waitForNavigation(), plain.click("[data-key='1']")]);
  check(events().some((event) => event.verdict === "first"), "no answer without scripts");
  clean(plain, "without scripts");
  console.log("the page of judges: looked at in 4 ways, judged with keys, without scripts");
} finally {
  await browser.close();
  child.kill();
  rmSync(folder, { recursive: true, force: true });
}
