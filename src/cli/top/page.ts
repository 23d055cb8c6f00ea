/**
 * The page of `kubeflect top --web`: no build step and no external resources. Data is inserted as text, never as HTML.
 */
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
<figure><figcaption>Worker load, %</figcaption><svg id="workers"></svg></figure>
<figure><figcaption>Listed per second</figcaption><svg id="listed"></svg></figure>
</section>
</main>
<script nonce="${nonce}">${SCRIPT}</script>
</body>
</html>
`;
}

const STYLE = `
:root {
  color-scheme: light dark;
  --line: #8884;
  --text: light-dark(#1d2430, #e6e9ef);
  --soft: light-dark(#5c6675, #9aa4b2);
  --card: light-dark(#fff, #1a1f29);
  --page: light-dark(#f3f5f8, #11151c);
  --bar: #3d8bfd;
}
* { box-sizing: border-box; }
body { margin: 0; font: 14px/1.45 system-ui, sans-serif; color: var(--text); background: var(--page); }
header { display: flex; justify-content: space-between; align-items: baseline; padding: 14px 24px 0; }
h1 { font-size: 18px; margin: 0; }
#state { color: var(--soft); font-variant-numeric: tabular-nums; }
main { padding: 12px 24px 24px; display: grid; gap: 16px; }
#informers, .charts {
  display: grid;
  gap: 16px;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 360px), 1fr));
}
article, figure {
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 8px;
  margin: 0;
  padding: 12px 16px;
  min-width: 0;
}
article h2 { font-size: 15px; margin: 0 0 8px; display: flex; justify-content: space-between; }
article h2 span { font-weight: normal; color: var(--soft); }
dl { display: grid; grid-template-columns: repeat(4, 1fr); gap: 4px 12px; margin: 8px 0 0; }
dt { color: var(--soft); font-size: 12px; }
dd { margin: 0 0 4px; font-variant-numeric: tabular-nums; white-space: nowrap; }
progress { width: 100%; height: 8px; accent-color: var(--bar); }
.error {
  color: light-dark(#b42318, #ff8a7a);
  margin: 6px 0 0;
  min-height: 20px;
  overflow: hidden;
  text-overflow: ellipsis;
  white-space: nowrap;
}
figcaption { color: var(--soft); font-size: 12px; margin-bottom: 4px; }
svg { width: 100%; height: 150px; display: block; }
svg text { fill: var(--soft); font-size: 11px; font-variant-numeric: tabular-nums; }
svg .grid { stroke: var(--line); }
svg polyline { fill: none; stroke-width: 1.6; vector-effect: non-scaling-stroke; }
`;

const SCRIPT = `
'use strict';
const COLOURS = ['#3d8bfd', '#e8833a', '#2fa36b', '#c2539e', '#8a6fe8', '#b8932f'];
const MAX_SNAPSHOTS = 600;
const snapshots = [];
const byId = (id) => document.getElementById(id);
const count = (value) => Math.round(value).toLocaleString('en-US');
const megabytes = (value) => count(value / 1e6) + ' MB';
const duration = (ms) => {
  if (ms === undefined) return '-';
  if (ms < 1000) return Math.round(ms) + ' ms';
  if (ms < 60000) return (ms / 1000).toFixed(1) + ' s';
  return Math.floor(ms / 60000) + ' m ' + Math.floor(ms / 1000 % 60) + ' s';
};

function element(name, text, className) {
  const made = document.createElement(name);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

const LABELS = [
  'objects', 'listed', 'rate', 'left',
  'added/s', 'changed/s', 'deleted/s', 'lag',
  'store', 'queued', 'relists', 'rejected',
];

/** Cards are created once and updated, so that nothing jumps. */
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
  for (const label of LABELS) {
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
    objects: count(informer.objects),
    listed: count(informer.listed),
    rate: count(informer.listedPerSecond) + '/s',
    left: isSyncing ? duration(informer.leftMs) : '-',
    'added/s': count(informer.events.add),
    'changed/s': count(informer.events.update),
    'deleted/s': count(informer.events.delete),
    lag: duration(informer.lagMs),
    store: megabytes(informer.bytes),
    queued: count(informer.queued),
    relists: count(informer.relists),
    rejected: count(informer.rejected),
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

/** Rounds up to 1, 2 or 5 times a power of ten, so that the axis changes rarely. */
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
  const first = snapshots[0].atMs, last = Math.max(snapshots[snapshots.length - 1].atMs, first + 10000);
  const max = ceiling(Math.max(...series.flatMap(({ values }) => values), 0));
  const x = (atMs) => left + (atMs - first) / (last - first) * (width - left - right);
  const y = (value) => height - bottom - value / max * (height - top - bottom);
  svg.replaceChildren();
  for (const share of [0, 0.5, 1]) {
    const value = share * max;
    const label = value < 10 ? String(+value.toFixed(2)) : count(value);
    svg.append(svgElement('line', { class: 'grid', x1: left, x2: width - right, y1: y(value), y2: y(value) }));
    svg.append(svgElement('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, label));
  }
  for (const [share, anchor] of [[0, 'start'], [1, 'end']]) {
    const atMs = first + share * (last - first);
    svg.append(svgElement('text', { x: x(atMs), y: height - 4, 'text-anchor': anchor }, duration(atMs)));
  }
  let legend = left;
  for (const [i, { name, values }] of series.entries()) {
    const stroke = COLOURS[i % COLOURS.length];
    const points = snapshots.map(({ atMs }, k) => x(atMs).toFixed(1) + ',' + y(values[k] ?? 0).toFixed(1));
    svg.append(svgElement('polyline', { stroke, points: points.join(' ') }));
    svg.append(svgElement('rect', { x: legend, y: 4, width: 9, height: 9, fill: stroke }));
    const label = svgElement('text', { x: legend + 13, y: 12 }, name);
    svg.append(label);
    legend += label.getComputedTextLength() + 28;
  }
}

function draw() {
  const latest = snapshots[snapshots.length - 1];
  if (latest === undefined) return;
  for (const informer of latest.informers) showInformer(informer);
  const series = (name, value) => ({ name, values: snapshots.map(value) });
  const perInformer = (value) =>
    latest.informers.map(({ name }, i) => series(name, ({ informers }) => value(informers[i])));
  const eventRate = (type) => ({ informers }) => informers.reduce((sum, { events }) => sum + events[type], 0);
  chart('objects', perInformer(({ objects }) => objects));
  chart('events', [
    series('added', eventRate('add')),
    series('changed', eventRate('update')),
    series('deleted', eventRate('delete')),
  ]);
  chart('delay', ['p50', 'p99', 'max'].map((name) => series(name, ({ eventLoop }) => eventLoop[name])));
  chart('memory', [
    series('resident', ({ memory }) => memory.rss / 1e6),
    series('heap', ({ memory }) => memory.heap / 1e6),
  ]);
  chart('workers', latest.workers.map((_, i) =>
    series('worker ' + i, ({ workers }) => (workers[i]?.load ?? 0) * 100)));
  chart('listed', perInformer(({ listedPerSecond }) => listedPerSecond));
  byId('state').textContent = 'live, ' + duration(latest.atMs);
}

let isDrawing = false;
const events = new EventSource('/events');
events.onopen = () => { snapshots.length = 0; };
events.onmessage = ({ data }) => {
  snapshots.push(JSON.parse(data));
  if (snapshots.length > MAX_SNAPSHOTS) snapshots.shift();
  if (isDrawing) return;
  isDrawing = true;
  requestAnimationFrame(() => { isDrawing = false; draw(); });
};
events.onerror = () => { byId('state').textContent = 'not connected'; };
addEventListener('resize', draw);
`;
