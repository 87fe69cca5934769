// What htmx does not do: files are dropped anywhere and opened at once, versions follow what is shown, sliders say their level, points of the map can be chosen, focus and open parts stay.
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
  } else if (dataset && ("slider" in dataset || "whole" in dataset)) {
    event.stopPropagation(); // half a number is none: what is typed counts when it is whole
  }
}, true);

// A number that was typed moves the slider to the level nearest to it, and is then asked for.
document.addEventListener("change", (event) => {
  const field = event.target;
  if (field.dataset && "whole" in field.dataset) field.form.dispatchEvent(new Event("input"));
  if (!field.dataset || !field.dataset.slider) return;
  const slider = document.getElementById(field.dataset.slider);
  const far = (level) => Math.abs(level - field.value) / Math.max(level, field.value, 1e-9);
  const all = levels(slider).map(Number);
  slider.value = all.reduce((best, level, place) => (far(level) < far(all[best]) ? place : best), 0);
  told(slider, field.value);
  field.form.dispatchEvent(new Event("input"));
});

// Who leads on while a choice is on its way is not shown the one before it.
let onItsWay = false;

document.addEventListener("input", ({ target }) => {
  const form = target.form || target;
  const half = target.dataset && ("slider" in target.dataset || "whole" in target.dataset);
  if (form.id === "aim" && !half) onItsWay = form.checkValidity();
}, true);

document.addEventListener("htmx:afterRequest", ({ detail }) => { if (detail.elt.id === "aim") onItsWay = false; });

document.addEventListener("click", (event) => {
  const link = event.target.closest && event.target.closest("a.button[href]");
  if (!link || !onItsWay || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  document.addEventListener("htmx:afterRequest", () => { location.assign(link.href); }, { once: true });
});

// Who chooses another way to build a hierarchy begins with numbers that suit it; before it is asked how that would be.
document.addEventListener("change", ({ target }) => {
  if (target.dataset && target.dataset.exampleIn) {
    document.getElementById(target.dataset.exampleIn).value = target.selectedOptions[0].dataset.example;
  }
}, true);

// A point of the map leads to its candidate without leaving the page. Where points are close, the nearest is meant.
const middle = (point) => {
  const { left, top, width, height } = point.getBoundingClientRect();
  return [left + width / 2, top + height / 2];
};
const pointsOf = (drawing) => [...drawing.querySelectorAll("a[href]")];
const nearest = (points, x, y) => points.reduce((best, each) => {
  const [left, top] = middle(each);
  const far = Math.hypot(left - x, top - y);
  return far < best.far ? { far, each } : best;
}, { far: 24 }).each;

document.addEventListener("click", (event) => {
  const drawing = event.target.closest && event.target.closest(".map svg");
  if (!drawing || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const link = (event.detail && nearest(pointsOf(drawing), event.clientX, event.clientY)) || event.target.closest("a[href]");
  if (!link) return;
  event.preventDefault();
  const key = new URLSearchParams(link.getAttribute("href")).get("see");
  // For the form, so that it waits for a slider that is still being moved, and the slider for it.
  htmx.ajax("POST", "/protect/candidate", { source: "#aim", values: { key }, target: "#screen", select: "#screen", swap: "outerHTML" });
});

// For the Tab key the map is one stop; arrow keys go from point to point.
function oneStop() {
  document.querySelectorAll(".map svg").forEach((drawing) => {
    const points = pointsOf(drawing);
    const here = points.find((each) => each.hasAttribute("aria-current")) || points[0];
    points.forEach((each) => each.setAttribute("tabindex", each === here ? "0" : "-1"));
  });
}

const AIMS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  const point = event.target.closest && event.target.closest(".map svg a[href]");
  const aim = AIMS[event.key];
  if (!point || !aim) return;
  event.preventDefault();
  const [x, y] = middle(point);
  const ahead = pointsOf(point.closest("svg")).map((each) => {
    const [left, top] = middle(each);
    const along = (left - x) * aim[0] + (top - y) * aim[1];
    return { each, along, far: along + 2 * Math.abs((left - x) * aim[1] + (top - y) * aim[0]) };
  }).filter(({ along }) => along > 0.5);
  if (!ahead.length) return;
  const next = ahead.reduce((best, each) => (each.far < best.far ? each : best)).each;
  point.setAttribute("tabindex", "-1");
  next.setAttribute("tabindex", "0");
  next.focus();
});

// Every form says which version it shows. When a part is made anew, all of the page shows the version that came with it.
const versionShown = () => document.querySelector("#tools [name=version]").value;

// An answer that was overtaken by one to a later change is not shown. Versions of a case count up.
const overtaken = (version) => {
  const [[id, number], [shown, last]] = [version, versionShown()].map((each) => each.split("."));
  return id === shown && Number(number) < Number(last);
};

document.addEventListener("htmx:oobBeforeSwap", ({ detail }) => {
  const field = detail.fragment.querySelector("[name=version]");
  if (field && overtaken(field.value)) detail.shouldSwap = false;
});

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const [, version] = /name="version" value="([^"]*)"/.exec(detail.xhr.responseText) || [];
  if (version && overtaken(version)) detail.shouldSwap = false;
});

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (detail.parameters.version !== undefined) detail.parameters.version = versionShown(); // also after it waited for another one
});

document.addEventListener("htmx:afterRequest", () => {
  const version = versionShown();
  document.querySelectorAll("[name=version]").forEach((field) => { field.value = version; });
  document.querySelectorAll("form[action*='version=']").forEach((form) => {
    form.setAttribute("action", form.getAttribute("action").replace(/version=[^&]*/, `version=${encodeURIComponent(version)}`));
  });
});

// Ctrl+K leads anywhere by a few letters; Ctrl+Z takes back what was decided, unless someone is writing.
const menu = document.getElementById("menu");
const looked = document.getElementById("menu-find");
const choices = () => [...menu.querySelectorAll("li:not([hidden]) :is(a, button)")];
const pressed = document.querySelector("[data-menu]");

function found() {
  const words = looked.value.toLowerCase().split(/\s+/);
  menu.querySelectorAll("li").forEach((each) => {
    const text = each.textContent.toLowerCase();
    each.hidden = !words.every((word) => text.includes(word));
  });
}

function openMenu() {
  looked.value = "";
  found();
  menu.showModal();
}

if (menu) {
  pressed.hidden = false;
  pressed.addEventListener("click", openMenu);
  looked.addEventListener("input", found);
  menu.addEventListener("click", ({ target }) => { if (target === menu) menu.close(); });  // beside it
  menu.addEventListener("submit", () => menu.close());
  menu.addEventListener("keydown", (event) => {
    const all = choices();
    const place = all.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      (place + step < 0 ? looked : all[Math.min(place + step, all.length - 1)] || looked).focus();
    } else if (event.key === "Enter" && event.target === looked) {
      event.preventDefault();
      if (all.length) all[0].click();
    }
  });
}

const writing = (where) => where.matches("textarea, select, input:not([type=range], [type=checkbox], [type=radio])");

document.addEventListener("keydown", (event) => {
  if (!menu || !(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "k" && !event.shiftKey) {
    event.preventDefault();
    if (menu.open) menu.close(); else openMenu();
  } else if (key === "z" && !menu.open && !writing(event.target)) {
    const button = document.querySelector(`#${event.shiftKey ? "redo" : "undo"} button:enabled`);
    if (!button) return;
    event.preventDefault();
    button.click();
  }
});

// What is looked for stands in the address, so that a reload shows it again.
document.addEventListener("htmx:afterRequest", ({ detail }) => {
  if (detail.elt.matches("[data-address]") && detail.successful) history.replaceState(null, "", detail.pathInfo.finalRequestPath);
});

// A file that is dropped anywhere on the page, or chosen, is opened at once.
const dropping = () => document.querySelector("form[data-drop]");
const hint = (shown) => { document.getElementById("drop-hint").hidden = !shown; };
document.addEventListener("dragleave", (event) => { if (!event.relatedTarget) hint(false); });
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (event) => {
    if (!event.dataTransfer || ![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    hint(name === "dragover");
    const form = dropping();
    if (name !== "drop" || !form || !event.dataTransfer.files.length) return;
    form.querySelector("input[type=file]").files = event.dataTransfer.files;
    form.requestSubmit();
  });
}

document.addEventListener("change", (event) => {
  if (event.target.type === "file" && event.target.form && event.target.form.matches("[data-drop]")) event.target.form.requestSubmit();
});

document.addEventListener("click", async (event) => {
  const button = event.target.closest && event.target.closest("[data-copy]");
  if (!button) return;
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    button.textContent = button.dataset.copied;
  } catch {
    getSelection().selectAllChildren(source);
    button.textContent = button.dataset.selected;
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

document.addEventListener("DOMContentLoaded", oneStop);
document.addEventListener("htmx:afterSettle", () => {
  say();
  oneStop();
  if (!before) return;
  const part = document.getElementById(before.target);
  if (part) {
    const details = [...part.querySelectorAll("details")];
    if (details.length === before.open.length) details.forEach((each, place) => { each.open = before.open[place]; });
    if (before.inside && (document.activeElement === document.body || !document.activeElement)) {
      const same = (before.id && document.getElementById(before.id))
        || [...part.querySelectorAll(focusables)].filter((each) => each.getClientRects().length).find((each) => (before.href !== null
          ? each.getAttribute("href") === before.href : before.label && each.textContent.trim() === before.label));
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
