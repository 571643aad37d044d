// What is shown follows the slider and the search; everything is put in place once, at the end.
const slider = byId("slider");
const search = byId("search");
const known = edges.some((edge) => edge.confidence !== null);
const visible = (edge) => edge.confidence === null || edge.confidence >= Number(slider.value);

const edgeRows = edges.map(edgeRow);
const columnRows = nodes.map(columnRow);
sortable(byId("edges"), [["from", "name"], ["mark", ""], ["to", "name"], ["effect or noise covariance", "number"],
  ["strength", "number"], ["standard error", "number"], ["confidence", "number"], ["other marks of the pair", ""], ["as good", ""]], edgeRows);
sortable(byId("columns"), [["column", "name"], ["mean", "number"], ["standard deviation", "number"], ["variance explained", "number"],
  ["causes", "number"], ["effects", "number"], ["hidden common causes", "number"]], columnRows);

function refresh() {
  const wanted = search.value.trim().toLowerCase();
  const hit = (node) => wanted !== "" && node.name.toLowerCase().includes(wanted);
  for (const node of nodes) node.group.classList.toggle("found", hit(node));
  for (const edge of edges) edge.group.classList.toggle("off", !visible(edge));
  for (const row of edgeRows) {
    const kept = wanted === "" || hit(row.edge.from) || hit(row.edge.to);
    row.line.classList.toggle("off", !visible(row.edge) || !kept);
  }
  for (const row of columnRows) row.line.classList.toggle("off", wanted !== "" && !hit(row.node));
  byId("slider-value").textContent = Number(slider.value).toFixed(2);
  const matches = nodes.filter(hit).length;
  byId("shown").textContent = `${edges.filter(visible).length} of ${count(edges.length, "edge")}` +
    (wanted === "" ? "" : `, ${count(matches, "column")} found`);
  emphasise(chosen);
}

function words() {
  if (data.title) { byId("title").textContent = shown(data.title, 200); document.title = shown(data.title, 80) + " - dagdecor"; }
  const hidden = edges.filter((edge) => edge.hidden).length;
  byId("summary").textContent = `${count(nodes.length, "column")}, ${count(data.rows, "row")}: ` +
    `${count(edges.length - hidden, "direct effect")}, ${count(hidden, "pair")} with a hidden common cause.`;
  byId("meaning").textContent = known && data.meaning ? `Confidence is ${data.meaning}.` : "No confidence was computed for this fit.";
  byId("verdict").textContent = data.verdict[0] + ".";
  const answer = (value) => (value === true ? "yes" : value === false ? "no" : value);
  plain(byId("flags"), data.verdict.slice(1).map(([label, value]) => [label, answer(value)]));
  for (const name of ["certificates", "settings", "versions"]) plain(byId(name), data[name]);
  list("findings", data.findings, ([level, sentence]) => element("li", shown(sentence, 2000), level));
  const open = edges.filter((edge) => edge.asGood && edge.asGood.length);
  list("alternatives", edges.some((edge) => edge.asGood) ? open : null, (edge) => element("li",
    `${shown(edge.from.name, 80)} ${arrow(edge)} ${shown(edge.to.name, 80)}: about as good are ${signs(edge.asGood)}`));
  if (!known) {
    slider.disabled = true;
    byId("slider-label").title = "No confidence was computed for this fit.";
    byId("opacity-legend").hidden = true;
  }
}

function list(name, items, make) {
  if (items === null) return;
  byId(name + "-section").hidden = false;
  byId(name).append(...(items.length ? items.map(make) : [element("li", "Nothing was found.")]));
}

slider.addEventListener("input", refresh);
search.addEventListener("input", () => { choose(null); refresh(); });
search.addEventListener("keydown", (event) => {
  if (event.key === "Escape") { search.value = ""; choose(null); refresh(); }
  if (event.key !== "Enter") return;
  const wanted = search.value.trim().toLowerCase(), rank = (node) => node.name.toLowerCase().indexOf(wanted) + node.name.length;
  const matches = nodes.filter((node) => node.group.classList.contains("found")).sort((one, other) => rank(one) - rank(other));
  if (matches.length) choose(matches[(matches.indexOf(chosen) + 1) % matches.length], true);
});
for (const row of columnRows) {
  row.line.querySelector("td").addEventListener("click", () => choose(row.node, true));
}
byId("closer").addEventListener("click", () => zoomMiddle(1.3));
byId("farther").addEventListener("click", () => zoomMiddle(1 / 1.3));
byId("whole").addEventListener("click", whole);
byId("reset").addEventListener("click", () => { nodes.forEach(home); placeAll(); whole(); });
// On paper the whole graph, whatever the screen shows of it.
window.addEventListener("beforeprint", () => {
  emphasise(null);
  const box = ground.getBBox();
  ground.removeAttribute("transform");
  picture.setAttribute("viewBox", [box.x - 8, box.y - 8, box.width + 16, box.height + 16].join(" "));
});
window.addEventListener("afterprint", () => { picture.removeAttribute("viewBox"); look(); emphasise(chosen); });
words();
placeAll();
whole();
refresh();
