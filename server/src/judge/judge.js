"use strict";
// Keys press the buttons that name them. While something is typed, or with a modifier, they are the browser's.
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  if (event.target.matches("textarea, input, select")) {
    if (event.key === "Escape") event.target.blur();
    return;
  }
  const key = event.key.toLowerCase();
  if (key === "n") {
    const note = document.querySelector(".note");
    if (!note) return;
    note.open = true;
    document.getElementById("note").focus();
    event.preventDefault();
    return;
  }
  const button = document.querySelector(`button[data-key="${CSS.escape(key)}"]:not(:disabled)`);
  if (!button) return;
  event.preventDefault();
  button.click();
});
// A second press while the first is on its way would be an answer to a pair that was not seen.
for (const form of document.forms) {
  form.addEventListener("submit", (event) => {
    if (document.body.dataset.sent) event.preventDefault();
    document.body.dataset.sent = "yes";
  });
}
addEventListener("pageshow", () => delete document.body.dataset.sent);
// Side by side, long texts scroll together, by their share.
const texts = [...document.querySelectorAll(".answer .text")];
let scrolled = null;
for (const text of texts) {
  text.addEventListener("scroll", () => {
    if (scrolled && scrolled !== text) return;
    scrolled = text;
    const share = text.scrollTop / Math.max(1, text.scrollHeight - text.clientHeight);
    for (const other of texts) {
      if (other !== text) other.scrollTop = share * (other.scrollHeight - other.clientHeight);
    }
    clearTimeout(text.timer);
    text.timer = setTimeout(() => { scrolled = null; }, 80);
  }, { passive: true });
}
