"use strict";
// Names come from a table that nobody vetted: they become text nodes, shortened, never markup.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

function shown(name, most) {
  const letters = Array.from(name.slice(0, 20000).replace(UNSEEN, "\ufffd"));
  if (letters.length === 0) return "(empty)";
  if (letters.length <= most) return letters.join("");
  const tail = Math.floor((most - 1) / 3); // long names often differ at their end
  return letters.slice(0, most - 1 - tail).join("") + "\u2026" + letters.slice(letters.length - tail).join("");
}

function element(tag, text, kind) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function drawn(tag, attributes, parent) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  if (parent) parent.appendChild(made);
  return made;
}

function number(value) {
  if (value === null || value === undefined) return "\u2013";
  const text = Math.abs(value) >= 1e5 || (value !== 0 && Math.abs(value) < 1e-3) ? value.toExponential(2) : value.toPrecision(3);
  return text.replace("-", "\u2212");
}

const SIGNS = { "none": "no mark", "->": "\u2192", "<-": "\u2190", "<->": "\u2194" };
const signs = (marks) => marks.map((mark) => SIGNS[mark] || mark).join(", ");
const arrow = (edge) => (edge.hidden ? SIGNS["<->"] : SIGNS["->"]);
const share = (value) => (value === null || value === undefined ? "\u2013" : value.toFixed(2));
const count = (amount, thing) => amount + " " + thing + (amount === 1 ? "" : "s");
