// The picture: nodes on the layered places, edges from border to border.
const picture = byId("graph");
const ground = drawn("g", {}, picture);
const many = data.nodes.length > 60;
const LETTERS = many ? 9 : 16;
const SIZE = many ? 11 : 13;
const PITCH = { x: 0, y: many ? 62 : 92 };

const nodes = data.nodes.map((node, index) => ({
  ...node, index, label: shown(node.name, LETTERS), edges: [],
}));
for (const node of nodes) {
  node.width = Math.max(26, 0.64 * SIZE * Array.from(node.label).length + 14);
  node.height = SIZE + 11;
}
PITCH.x = Math.max(...nodes.map((node) => node.width)) + (many ? 16 : 34);
function home(node) { node.px = node.x * PITCH.x; node.py = node.y * PITCH.y; }
nodes.forEach(home);

const edges = data.edges.map((edge, index) => ({ ...edge, index, from: nodes[edge.a], to: nodes[edge.b] }));
const edgeLayer = drawn("g", {}, ground);
const nodeLayer = drawn("g", {}, ground);

for (const edge of edges) {
  edge.from.edges.push(edge);
  edge.to.edges.push(edge);
  const kind = edge.hidden ? "hidden" : "directed";
  edge.width = 0.9 + (many ? 1.8 : 3.2) * Math.min(1, Math.abs(edge.strength));
  edge.opacity = edge.confidence === null ? (many ? 0.7 : 1) : 0.15 + (many ? 0.6 : 0.85) * edge.confidence;
  edge.group = drawn("g", { opacity: edge.opacity, "data-edge": edge.index }, edgeLayer);
  edge.line = drawn("path", { class: "edge " + kind, style: "stroke-width:" + edge.width.toFixed(2) }, edge.group);
  edge.heads = (edge.hidden ? [1, 0] : [1]).map(() => drawn("path", { class: "head " + kind }, edge.group));
  edge.touch = drawn("path", { class: "touch" }, edge.group);
}
for (const node of nodes) {
  node.group = drawn("g", { class: "node", "data-node": node.index }, nodeLayer);
  drawn("rect", { x: -node.width / 2, y: -node.height / 2, width: node.width, height: node.height, rx: 6 }, node.group);
  drawn("text", { "font-size": SIZE }, node.group).textContent = node.label;
}

// Ports: the ends of a node's edges stand side by side on its upper and lower border, in the order
// of the places that they lead to, so that heads do not cover each other.
const level = (edge) => Math.abs(edge.to.py - edge.from.py) < 0.6 * PITCH.y;
function below(node, edge) {
  const other = edge.from === node ? edge.to : edge.from;
  return level(edge) ? !edge.hidden : other.py > node.py;
}

function setPorts(node) {
  for (const side of [true, false]) {
    const ends = node.edges.filter((edge) => below(node, edge) === side);
    const place = (edge) => (edge.from === node ? edge.to : edge.from).px;
    ends.sort((one, other) => place(one) - place(other) || one.hidden - other.hidden);
    const step = Math.min(11, (node.width - 12) / Math.max(1, ends.length - 1));
    ends.forEach((edge, rank) => { edge[edge.from === node ? "out" : "in"] = (rank - (ends.length - 1) / 2) * step; });
  }
}

function port(node, edge, gap) {
  const sign = below(node, edge) ? 1 : -1;
  return [node.px + (edge.from === node ? edge.out : edge.in), node.py + sign * (node.height / 2 + gap)];
}

// Between rows a curve leaves and enters vertically; rows on its way are passed through the gaps
// between their boxes; within a row it rises above the boxes.
const rows = () => {
  const found = new Map();
  for (const node of nodes) {
    const key = Math.round(node.py / (0.5 * PITCH.y));
    if (!found.has(key)) found.set(key, []);
    found.get(key).push(node);
  }
  return [...found.values()].map((members) => ({ members, y: members.reduce((sum, n) => sum + n.py, 0) / members.length }));
};
let levels = [];

function gap(row, wanted) {
  const blocked = (x) => row.members.some((n) => Math.abs(x - n.px) < n.width / 2 + 4);
  if (!blocked(wanted)) return wanted;
  const sides = row.members.flatMap((n) => [n.px - n.width / 2 - 6, n.px + n.width / 2 + 6]).filter((x) => !blocked(x));
  return sides.reduce((best, x) => (Math.abs(x - wanted) < Math.abs(best - wanted) ? x : best), sides[0] ?? wanted);
}

// Points of the way as cubic curves, from start to end.
function way(edge, start, end) {
  const dx = end[0] - start[0], dy = end[1] - start[1];
  if (level(edge)) {
    const rise = Math.min(1.1 * PITCH.y, 14 + 0.3 * Math.abs(dx)) * (edge.hidden ? -1 : 1);
    return [start, [start[0] + 0.15 * dx, start[1] + rise], [end[0] - 0.15 * dx, end[1] + rise], end];
  }
  const sign = Math.sign(dy), half = edge.from.height / 2 + 4;
  const passed = levels.filter((row) => (row.y - start[1]) * sign > half && (end[1] - row.y) * sign > half)
    .sort((one, other) => sign * (one.y - other.y));
  const points = [start];
  for (const row of passed) {
    const last = points[points.length - 1];
    const x = gap(row, last[0] + ((end[0] - last[0]) * (row.y - last[1])) / (end[1] - last[1]));
    bend(points, [x, row.y - sign * half]);
    points.push([x, row.y], [x, row.y], [x, row.y + sign * half]);
  }
  bend(points, end);
  return points;
}

function bend(points, end) {
  const start = points[points.length - 1], half = 0.5 * (end[1] - start[1]);
  points.push([start[0], start[1] + half], [end[0], end[1] - half], end);
}

function head(path, tip, place, width) {
  const dx = tip[0] - place[0], dy = tip[1] - place[1];
  const length = Math.max(1e-9, Math.hypot(dx, dy)), size = 6 + 1.6 * width, wide = 0.42 * size;
  const ux = dx / length, uy = dy / length, bx = tip[0] - size * ux, by = tip[1] - size * uy;
  path.setAttribute("d", `M${tip[0]} ${tip[1]}L${bx - wide * uy} ${by + wide * ux}L${bx + wide * uy} ${by - wide * ux}Z`);
  return [tip[0] - 0.8 * size * ux, tip[1] - 0.8 * size * uy];
}

function placeEdge(edge) {
  const points = way(edge, port(edge.from, edge, 1), port(edge.to, edge, 1));
  const last = points.length - 1;
  const stop = head(edge.heads[0], points[last], points[last - 1], edge.width);
  if (edge.hidden) points[0] = head(edge.heads[1], points[0], points[1], edge.width);
  points[last] = stop;
  const text = "M" + points[0].join(" ") + "C" + points.slice(1).map((point) => point.join(" ")).join(" ");
  edge.line.setAttribute("d", text);
  edge.touch.setAttribute("d", text);
}

function placeNode(node) {
  node.group.setAttribute("transform", `translate(${node.px} ${node.py})`);
}

function placeAll() { levels = rows(); nodes.forEach(placeNode); nodes.forEach(setPorts); edges.forEach(placeEdge); }

function moved(node) {
  const near = new Set([node]);
  node.edges.forEach((edge) => { near.add(edge.from); near.add(edge.to); });
  levels = rows();
  placeNode(node);
  near.forEach(setPorts);
  near.forEach((other) => other.edges.forEach(placeEdge));
}
