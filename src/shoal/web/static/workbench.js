// What htmx does not do: sliders say their level, points of the map can be chosen, focus and open parts stay.
"use strict";

const focusables = "a[href], button, input, select, summary, [tabindex]";

// A slider runs over places in a list of levels. It says the level, not the place, and shows it in the field beside it.
const levels = (slider) => slider.dataset.levels.trim().split(/\s+/);
const told = (slider, level) => slider.setAttribute("aria-valuetext", `${slider.dataset.word} = ${level}`);

document.addEventListener("input", (event) => {
  const { dataset, value } = event.target;
  if (dataset && dataset.levels) {
    const level = levels(event.target)[Number(value)];
    document.getElementById(dataset.typed).value = level;
    told(event.target, level);
  } else if (dataset && dataset.slider) {
    event.stopPropagation(); // half a number is none: what is typed counts when it is whole
  }
}, true);

// A number that was typed moves the slider to the level nearest to it, and is then asked for.
document.addEventListener("change", (event) => {
  const field = event.target;
  if (!field.dataset || !field.dataset.slider) return;
  const slider = document.getElementById(field.dataset.slider);
  const far = (level) => Math.abs(level - field.value) / Math.max(level, field.value, 1e-9);
  const all = levels(slider).map(Number);
  slider.value = all.reduce((best, level, place) => (far(level) < far(all[best]) ? place : best), 0);
  told(slider, field.value);
  field.form.dispatchEvent(new Event("input"));
});

// A point of the map leads to its candidate without leaving the page.
document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest(".map a[href]");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const to = link.getAttribute("href");
  htmx.ajax("GET", `/protect${to}`, { target: "#screen", select: "#screen", swap: "outerHTML" });
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest && event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = "Copied";
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = "Selected: press Ctrl+C";
  }
});

// When a part of the page is made anew, what had the focus has it again, and what was open is open.
let before = null;

document.addEventListener("htmx:beforeSwap", (event) => {
  const part = event.detail.target;
  if (!part || !part.querySelectorAll) return;
  const all = [...part.querySelectorAll(focusables)];
  const active = document.activeElement;
  const place = all.indexOf(active);
  before = {
    id: place >= 0 ? active.id : "",
    href: place >= 0 ? active.getAttribute("href") : null,
    label: place >= 0 ? active.textContent.trim() : "",
    inside: place >= 0,
    open: [...part.querySelectorAll("details")].map((each) => each.open),
    target: part.id,
  };
});

document.addEventListener("htmx:afterSettle", () => {
  say();
  if (!before) return;
  const part = document.getElementById(before.target);
  if (part) {
    const details = [...part.querySelectorAll("details")];
    if (details.length === before.open.length) details.forEach((each, place) => { each.open = before.open[place]; });
    if (before.inside && (document.activeElement === document.body || !document.activeElement)) {
      const same = (before.id && document.getElementById(before.id))
        || [...part.querySelectorAll(focusables)].find((each) => (before.href !== null
          ? each.getAttribute("href") === before.href : each.textContent.trim() === before.label));
      if (same) same.focus({ preventScroll: true });
    }
  }
  before = null;
});

// The one line that is read out when it changes.
function say() {
  const line = document.querySelector("[data-say]");
  const place = document.getElementById("say");
  const text = line ? line.textContent.replace(/\s+/g, " ").trim() : "";
  if (place && place.textContent !== text) place.textContent = text;
}
