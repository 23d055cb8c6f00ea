/** The page of `kubeflect top --web`: no build step, nothing from elsewhere. Whatever comes from the server is put in as text. */
export function pageHtml(nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>kubeflect top</title>
<link rel="icon" href="data:,">
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<header><h1>kubeflect top</h1><span id="state">connecting</span></header>
<main>
<section id="informers"></section>
<section class="charts">
<figure><figcaption>Objects</figcaption><svg id="objects"></svg></figure>
<figure><figcaption>Events per second</figcaption><svg id="events"></svg></figure>
<figure><figcaption>Event-loop delay, ms</figcaption><svg id="delay"></svg></figure>
<figure><figcaption>Memory, MB</figcaption><svg id="memory"></svg></figure>
<figure><figcaption>Load of the workers, %</figcaption><svg id="workers"></svg></figure>
<figure><figcaption>Listed per second</figcaption><svg id="listed"></svg></figure>
</section>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --text: light-dark(#1d2430, #e6e9ef); --soft: light-dark(#5c6675, #9aa4b2);
  --card: light-dark(#fff, #1a1f29); --page: light-dark(#f3f5f8, #11151c); --bar: #3d8bfd; }
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); }
header { display: flex; justify-content: space-between; align-items: baseline; padding: 14px 24px 0; }
h1 { font-size: 18px; margin: 0; }
#state { color: var(--soft); font-variant-numeric: tabular-nums; }
main { padding: 12px 24px 24px; display: grid; gap: 16px; }
#informers, .charts { display: grid; gap: 16px; grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr)); }
article, figure { background: var(--card); border: 1px solid var(--line); border-radius: 8px; margin: 0; padding: 12px 16px; min-width: 0; }
article h2 { font-size: 15px; margin: 0 0 8px; display: flex; justify-content: space-between; }
article h2 span { font-weight: normal; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4px 12px; margin: 8px 0 0; }
dt { color: var(--soft); font-size: 12px; }
dd { margin: 0 0 4px; font-variant-numeric: tabular-nums; white-space: nowrap; }
progress { width: 100%; height: 8px; accent-color: var(--bar); }
.error { color: light-dark(#b42318, #ff8a7a); margin: 6px 0 0; min-height: 20px; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
figcaption { color: var(--soft); font-size: 12px; margin-bottom: 4px; }
svg { width: 100%; height: 150px; display: block; }
svg text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 1.6; vector-effect: non-scaling-stroke; }
`;

const SCRIPT = `
'use strict';
const COLOURS = ['#3d8bfd', '#e8833a', '#2fa36b', '#c2539e', '#8a6fe8', '#b8932f'];
const KEPT = 600;
const kept = [];
const byId = (id) => document.getElementById(id);
const count = (value) => Math.round(value).toLocaleString('en-US');
const megabytes = (value) => count(value / 1e6) + ' MB';
const span = (ms) => ms === undefined ? '-' : ms < 1000 ? Math.round(ms) + ' ms' : ms < 60000 ? (ms / 1000).toFixed(1) + ' s' : Math.floor(ms / 60000) + ' m ' + Math.floor(ms / 1000 % 60) + ' s';

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

/** Cards are made once and filled again, so that nothing jumps. */
const cards = new Map();
function card(name) {
  if (cards.has(name)) return cards.get(name);
  const article = element('article');
  const title = element('h2', name);
  const state = element('span');
  title.append(state);
  const progress = element('progress');
  const list = element('dl');
  const values = {};
  for (const label of ['objects', 'listed', 'rate', 'left', 'added/s', 'changed/s', 'deleted/s', 'lag', 'store', 'queued', 'relists', 'rejected']) {
    const item = element('div');
    values[label] = element('dd', '-');
    item.append(element('dt', label), values[label]);
    list.append(item);
  }
  const error = element('p', '', 'error');
  article.append(title, progress, list, error);
  byId('informers').append(article);
  const made = { state, progress, values, error };
  cards.set(name, made);
  return made;
}

function showInformer(informer) {
  const { state, progress, values, error } = card(informer.name);
  const isSyncing = informer.state !== 'synced';
  state.textContent = informer.state;
  const total = informer.total ?? Math.max(1, informer.listed);
  progress.max = Math.max(1, total);
  progress.value = isSyncing ? Math.min(informer.listed, total) : Math.max(1, total);
  const shown = {
    objects: count(informer.objects), listed: count(informer.listed), rate: count(informer.listedPerSecond) + '/s',
    left: isSyncing ? span(informer.leftMs) : '-', 'added/s': count(informer.events.add), 'changed/s': count(informer.events.update),
    'deleted/s': count(informer.events.delete), lag: span(informer.lagMs),
    store: megabytes(informer.bytes), queued: count(informer.queued), relists: count(informer.relists), rejected: count(informer.rejected),
  };
  for (const [label, text] of Object.entries(shown)) values[label].textContent = text;
  error.textContent = informer.lastError ?? '';
}

const SVG = 'http://www.w3.org/2000/svg';
function svgElement(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

/** 1, 2 or 5 times a power of ten: the axis changes seldom. */
function ceiling(value) {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return [1, 2, 5, 10].map((step) => step * power).find((step) => step >= value);
}

function chart(id, series) {
  const svg = byId(id);
  const { width, height } = svg.getBoundingClientRect();
  if (width === 0) return;
  const left = 56, right = 8, top = 18, bottom = 18;
  const first = kept[0].atMs, last = Math.max(kept[kept.length - 1].atMs, first + 10000);
  const most = ceiling(Math.max(...series.flatMap(({ values }) => values), 0));
  const x = (atMs) => left + (atMs - first) / (last - first) * (width - left - right);
  const y = (value) => height - bottom - value / most * (height - top - bottom);
  svg.replaceChildren();
  for (const share of [0, 0.5, 1]) {
    svg.append(svgElement('line', { class: 'grid', x1: left, x2: width - right, y1: y(share * most), y2: y(share * most) }));
    const label = share * most;
    svg.append(svgElement('text', { x: left - 6, y: y(label) + 4, 'text-anchor': 'end' }, label < 10 ? String(+label.toFixed(2)) : count(label)));
  }
  for (const [share, anchor] of [[0, 'start'], [1, 'end']]) {
    svg.append(svgElement('text', { x: x(first + share * (last - first)), y: height - 4, 'text-anchor': anchor }, span(first + share * (last - first))));
  }
  let legend = left;
  for (const [i, { name, values }] of series.entries()) {
    const stroke = COLOURS[i % COLOURS.length];
    svg.append(svgElement('polyline', { stroke, points: kept.map(({ atMs }, k) => x(atMs).toFixed(1) + ',' + y(values[k] ?? 0).toFixed(1)).join(' ') }));
    svg.append(svgElement('rect', { x: legend, y: 4, width: 9, height: 9, fill: stroke }));
    const label = svgElement('text', { x: legend + 13, y: 12 }, name);
    svg.append(label);
    legend += label.getComputedTextLength() + 28;
  }
}

function draw() {
  const latest = kept[kept.length - 1];
  if (latest === undefined) return;
  for (const informer of latest.informers) showInformer(informer);
  const perInformer = (value) => latest.informers.map(({ name }, i) => ({ name, values: kept.map((one) => value(one.informers[i])) }));
  const sum = (type) => kept.map(({ informers }) => informers.reduce((all, { events }) => all + events[type], 0));
  chart('objects', perInformer(({ objects }) => objects));
  chart('events', [{ name: 'added', values: sum('add') }, { name: 'changed', values: sum('update') }, { name: 'deleted', values: sum('delete') }]);
  chart('delay', ['p50', 'p99', 'max'].map((name) => ({ name, values: kept.map(({ eventLoop }) => eventLoop[name]) })));
  chart('memory', [{ name: 'resident', values: kept.map(({ memory }) => memory.rss / 1e6) }, { name: 'heap', values: kept.map(({ memory }) => memory.heap / 1e6) }]);
  chart('workers', latest.workers.map((_, i) => ({ name: 'worker ' + i, values: kept.map(({ workers }) => (workers[i]?.load ?? 0) * 100) })));
  chart('listed', perInformer(({ listedPerSecond }) => listedPerSecond));
  byId('state').textContent = 'live, ' + span(latest.atMs);
}

let isDrawing = false;
const events = new EventSource('/events');
events.onopen = () => { kept.length = 0; };
events.onmessage = ({ data }) => {
  kept.push(JSON.parse(data));
  if (kept.length > KEPT) kept.shift();
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => { isDrawing = false; draw(); });
};
events.onerror = () => { byId('state').textContent = 'not connected'; };
addEventListener('resize', draw);
`;
