// Tables that sort by a click on a head; a cell is [text, sort key].
const COLLATOR = new Intl.Collator(undefined, { numeric: true });

function sortable(table, heads, rows) {
  const head = element("thead"), line = element("tr"), body = element("tbody");
  heads.forEach(([text, kind], column) => {
    const cell = element("th", text, kind);
    cell.tabIndex = 0;
    const turn = () => {
      const down = cell.getAttribute("aria-sort") === "ascending" || (kind === "number" && !cell.hasAttribute("aria-sort"));
      line.querySelectorAll("th").forEach((other) => other.removeAttribute("aria-sort"));
      cell.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sign = down ? -1 : 1;
      rows.sort((one, other) => sign * compare(one.cells[column][1], other.cells[column][1], sign));
      rows.forEach((row) => body.append(row.line));
    };
    cell.addEventListener("click", turn);
    cell.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); turn(); } });
    line.append(cell);
  });
  head.append(line);
  for (const row of rows) {
    row.line = element("tr");
    row.cells.forEach(([text], column) => row.line.append(element("td", text, heads[column][1])));
    body.append(row.line);
  }
  table.append(head, body);
}

// What is absent comes last, whichever way the column is sorted.
function compare(one, other, sign) {
  if (one === null || other === null) return sign * ((one === null) - (other === null));
  return typeof one === "number" ? one - other : COLLATOR.compare(one, other);
}

function edgeRow(edge) {
  const other = edge.shares ? alternatives(edge).map(([label, value]) => label + " " + share(value)).join(", ") : "";
  const sized = (value) => (value === null ? null : Math.abs(value));
  return {
    edge,
    cells: [
      [shown(edge.from.name, 60), edge.from.name],
      [arrow(edge), edge.hidden ? 1 : 0],
      [shown(edge.to.name, 60), edge.to.name],
      [number(edge.value), sized(edge.value)],
      [number(edge.strength), sized(edge.strength)],
      [number(edge.error), edge.error],
      [share(edge.confidence), edge.confidence],
      [other || "\u2013", edge.shares ? 1 - edge.shares[edge.hidden ? 3 : 1] : null],
      [edge.asGood && edge.asGood.length ? signs(edge.asGood) : "\u2013", edge.asGood ? edge.asGood.length : null],
    ],
  };
}

function columnRow(node) {
  const amount = (keep) => { const found = node.edges.filter(keep).length; return [String(found), found]; };
  return {
    node,
    cells: [
      [shown(node.name, 60), node.name],
      [number(node.mean), node.mean],
      [number(node.sd), node.sd],
      [share(node.explained), node.explained],
      amount((e) => !e.hidden && e.to === node),
      amount((e) => !e.hidden && e.from === node),
      amount((e) => e.hidden),
    ],
  };
}

function plain(table, rows) {
  const body = element("tbody");
  for (const cells of rows) {
    const made = element("tr");
    cells.forEach((text) => made.append(element("td", shown(String(text), 400), "name")));
    body.append(made);
  }
  table.append(body);
}
