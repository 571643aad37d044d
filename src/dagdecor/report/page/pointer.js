// Zoom, pan, drag, hover.
const view = { x: 0, y: 0, scale: 1 };
function look() { ground.setAttribute("transform", `translate(${view.x} ${view.y}) scale(${view.scale})`); }

function whole() {
  const box = picture.getBoundingClientRect();
  const margin = 16, drawing = ground.getBBox();
  const left = drawing.x - margin, right = drawing.x + drawing.width + margin;
  const top = drawing.y - margin, bottom = drawing.y + drawing.height + margin;
  view.scale = Math.min(box.width / (right - left), box.height / (bottom - top), 1.5);
  view.x = box.width / 2 - (view.scale * (left + right)) / 2;
  view.y = box.height / 2 - (view.scale * (top + bottom)) / 2;
  look();
}

function zoom(factor, x, y) {
  const scale = Math.min(8, Math.max(0.05, view.scale * factor));
  view.x = x - ((x - view.x) * scale) / view.scale;
  view.y = y - ((y - view.y) * scale) / view.scale;
  view.scale = scale;
  look();
}

function zoomMiddle(factor) {
  const box = picture.getBoundingClientRect();
  zoom(factor, box.width / 2, box.height / 2);
}

picture.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = picture.getBoundingClientRect();
  zoom(Math.exp(-0.0015 * event.deltaY), event.clientX - box.left, event.clientY - box.top);
}, { passive: false });

function pan(x, y) { view.x += x; view.y += y; look(); }

// The keys of the picture; Tab leads to it.
picture.addEventListener("keydown", (event) => {
  const steps = { ArrowLeft: [40, 0], ArrowRight: [-40, 0], ArrowUp: [0, 40], ArrowDown: [0, -40] };
  const acts = { "+": () => zoomMiddle(1.3), "=": () => zoomMiddle(1.3), "-": () => zoomMiddle(1 / 1.3), "0": whole, Escape: () => choose(null) };
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const act = steps[event.key] ? () => pan(...steps[event.key]) : acts[event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// Keep a node's neighbours in sight; with `here`, bring it to the middle and tell about it.
function choose(node, here) {
  chosen = node;
  byId("tip").hidden = true;
  emphasise(chosen);
  if (!node || !here) return;
  const box = picture.getBoundingClientRect();
  view.scale = Math.max(view.scale, 1);
  view.x = box.width / 2 - view.scale * node.px;
  view.y = box.height / 2 - view.scale * node.py;
  look();
  picture.scrollIntoView({ block: "nearest" });
  const place = node.group.getBoundingClientRect();
  tell(aboutNode(node), place.right, place.bottom);
}

function under(event) {
  const target = event.target.closest ? event.target.closest("[data-node], [data-edge]") : null;
  if (!target) return {};
  return target.hasAttribute("data-node")
    ? { node: nodes[Number(target.getAttribute("data-node"))] }
    : { edge: edges[Number(target.getAttribute("data-edge"))] };
}

let held = null;
let chosen = null;
picture.addEventListener("pointerdown", (event) => {
  held = { node: under(event).node, x: event.clientX, y: event.clientY, moved: false };
  picture.setPointerCapture(event.pointerId);
  picture.classList.add("moving");
});
picture.addEventListener("pointermove", (event) => {
  if (!held) { hover(event); return; }
  const dx = event.clientX - held.x, dy = event.clientY - held.y;
  if (!held.moved && Math.hypot(dx, dy) < 4) return;
  held.moved = true;
  held.x = event.clientX;
  held.y = event.clientY;
  if (held.node) {
    held.node.px += dx / view.scale;
    held.node.py += dy / view.scale;
    moved(held.node);
  } else {
    pan(dx, dy);
  }
});
picture.addEventListener("pointerup", () => {
  if (held && !held.moved) choose(held.node && held.node !== chosen ? held.node : null);
  held = null;
  picture.classList.remove("moving");
});
picture.addEventListener("pointercancel", () => { held = null; picture.classList.remove("moving"); });
picture.addEventListener("pointerleave", () => { byId("tip").hidden = true; if (!chosen) emphasise(null); });

function emphasise(node, edge) {
  const near = new Set();
  if (node) { near.add(node); node.edges.filter(visible).forEach((e) => { near.add(e.from); near.add(e.to); }); }
  if (edge) { near.add(edge.from); near.add(edge.to); }
  const any = near.size > 0;
  for (const other of nodes) {
    other.group.classList.toggle("dim", any && !near.has(other));
    other.group.classList.toggle("chosen", other === chosen);
  }
  for (const other of edges) {
    const kept = edge ? other === edge : other.from === node || other.to === node;
    other.group.classList.toggle("dim", any && !kept);
  }
}

function hover(event) {
  const { node, edge } = under(event);
  const tip = byId("tip");
  if (!chosen) emphasise(node || null, edge);
  tip.hidden = !node && !edge;
  if (!tip.hidden) tell(node ? aboutNode(node) : aboutEdge(edge), event.clientX, event.clientY);
}

function tell(lines, x, y) {
  const tip = byId("tip");
  tip.hidden = false;
  tip.replaceChildren(...lines);
  const box = tip.getBoundingClientRect();
  tip.style.left = Math.max(4, Math.min(x + 14, window.innerWidth - box.width - 8)) + "px";
  tip.style.top = Math.max(4, Math.min(y + 14, window.innerHeight - box.height - 8)) + "px";
}

function line(label, value) {
  const made = element("div");
  made.append(element("span", label), element("span", value));
  return made;
}

function aboutEdge(edge) {
  const lines = [
    element("b", `${shown(edge.from.name, 80)} ${arrow(edge)} ${shown(edge.to.name, 80)}`),
    line(edge.hidden ? "noise covariance" : "effect", number(edge.value)),
    line(edge.hidden ? "noise correlation" : "standardised", number(edge.strength)),
    line("standard error", number(edge.error)),
    line("confidence", share(edge.confidence)),
  ];
  if (edge.shares) alternatives(edge).forEach(([label, value]) => lines.push(line("instead: " + label, share(value))));
  if (edge.asGood && edge.asGood.length) lines.push(line("about as good", signs(edge.asGood)));
  return lines;
}

// The other marks of the pair that have a share, the largest first.
function alternatives(edge) {
  const labels = ["no mark", "\u2192", "\u2190", "\u2194"], own = edge.hidden ? 3 : 1;
  return labels.map((label, k) => [label, edge.shares[k], k])
    .filter(([, value, k]) => k !== own && value >= 0.005)
    .sort((one, other) => other[1] - one[1]);
}

function aboutNode(node) {
  const of = (keep) => String(node.edges.filter(visible).filter(keep).length);
  return [
    element("b", shown(node.name, 300)),
    line("mean", number(node.mean)),
    line("standard deviation", number(node.sd)),
    line("variance explained", share(node.explained)),
    line("causes", of((e) => !e.hidden && e.to === node)),
    line("effects", of((e) => !e.hidden && e.from === node)),
    line("hidden common causes", of((e) => e.hidden)),
  ];
}
