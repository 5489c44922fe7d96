// Keeps an open page up to date: the server sends the parts that changed. Without this script the page is the same, as it was
// when it was loaded.
"use strict";
(() => {
  const connection = document.getElementById("connection");
  const say = (text, isLost) => {
    if (connection.textContent !== text) connection.textContent = text;
    connection.classList.toggle("lost", isLost);
  };

  // What a reader has opened, typed or reached with the keyboard stays so.
  const replace = (part, html) => {
    const section = document.getElementById(part);
    if (!section) return;
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    if (section.querySelector("details[open] form")) return;
    for (const open of section.querySelectorAll("details[open][id]")) {
      const again = fresh.content.getElementById(open.id);
      if (!again) continue;
      again.open = true;
    }
    const active = section.contains(document.activeElement) ? document.activeElement : null;
    const focused = active?.closest("details[id]");
    const word = active?.matches("a.word") ? active.hash : null;
    const scrolled = [...section.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
    section.replaceChildren(fresh.content);
    if (focused) document.getElementById(focused.id)?.querySelector("summary").focus();
    if (word) section.querySelector(`a.word[href="${word}"]`)?.focus();
    section.querySelectorAll(".scroll").forEach((box, at) => {
      if (scrolled[at]) [box.scrollLeft, box.scrollTop] = scrolled[at];
    });
    if (part === "headline") {
      section.classList.remove("fresh");
      void section.offsetWidth;
      section.classList.add("fresh");
    }
  };

  const open = () => {
    const stream = new EventSource(document.body.dataset.stream);
    stream.addEventListener("part", (event) => {
      const { part, html } = JSON.parse(event.data);
      replace(part, html);
    });
    stream.addEventListener("open", () => say("live", false));
    stream.addEventListener("error", () => {
      say(stream.readyState === EventSource.CLOSED ? "not live: reload the page" : "connecting again", true);
      // Refused, e.g. because there are too many viewers: later there may be room.
      if (stream.readyState === EventSource.CLOSED) setTimeout(open, 15000);
    });
  };

  // A word leads to its definition, also where the list of words is closed and the browser does not open it.
  addEventListener("click", (event) => {
    const word = event.target.closest?.("a.word");
    const meaning = word && document.getElementById(word.hash.slice(1));
    if (meaning) meaning.closest("details").open = true;
  });

  // The list of experiments is loaded again now and then.
  const reload = async () => {
    if (document.hidden) return;
    const answer = await fetch("./", { redirect: "manual" });
    if (answer.type === "opaqueredirect") {
      location.reload();
      return;
    }
    const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").querySelector(".experiments");
    const list = document.querySelector(".experiments");
    if (answer.ok && fresh && fresh.innerHTML !== list.innerHTML && !list.contains(document.activeElement)) {
      list.replaceChildren(...fresh.childNodes);
    }
  };

  if (document.body.dataset.stream) open();
  // A server that does not answer for a moment: the list stays as it is.
  else if ("list" in document.body.dataset) setInterval(() => reload().catch(() => {}), 5000);
})();
