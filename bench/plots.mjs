/**
 * The plots of a report as SVG, drawn by ECharts without a browser.
 *
 * `{ kind: 'bar', title, y, points: [[name, value]] }`, `{ kind: 'line', title, x, y, isLogarithmic, series: [{ name, points }] }`,
 * `{ kind: 'heat', title, x, y, value, cells: [[x, y, value]] }`; x, y and value are what the axes say, with units.
 */
import { init } from 'echarts';

const WIDTH = 720;
const HEIGHT = 380;
const COLORS = {
  light: { text: '#1f2328', line: '#d0d7de', scale: ['#e6f2ff', '#0b4f9c'] },
  dark: { text: '#e6edf3', line: '#3d444d', scale: ['#0c2d52', '#79c0ff'] },
};
const PALETTE = ['#2f81f7', '#e3663b', '#2da44e', '#a371f7', '#d29922'];

const KINDS = { bar: barOf, line: lineOf, heat: heatOf };

/** `theme` is light or dark; the background is the page's. */
export function svgOf(plot, theme) {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  const colors = COLORS[theme];
  chart.setOption({
    animation: false,
    color: PALETTE,
    textStyle: { fontFamily: 'system-ui, sans-serif', color: colors.text },
    title: { text: plot.title, left: 'center', top: 8, textStyle: { color: colors.text, fontSize: 15 } },
    ...KINDS[plot.kind](plot, colors),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function barOf({ y, points }, colors) {
  const names = points.map(([name]) => name);
  return {
    // Names on the left: however many contenders, they do not run into each other.
    grid: { left: 150, right: 70, top: 50, bottom: 50 },
    xAxis: { type: 'value', name: y, nameLocation: 'middle', nameGap: 28, ...axis(colors) },
    yAxis: { type: 'category', data: names, inverse: true, ...axis(colors) },
    series: [
      {
        type: 'bar',
        data: points.map(([, value]) => value),
        label: { show: true, position: 'right', color: colors.text, formatter: ({ value }) => short(value) },
      },
    ],
  };
}

function lineOf({ x, y, isLogarithmic = false, series }, colors) {
  return {
    grid: { left: 80, right: 40, top: 80, bottom: 60 },
    legend: { top: 36, textStyle: { color: colors.text } },
    xAxis: {
      type: isLogarithmic ? 'log' : 'value',
      name: x,
      nameLocation: 'middle',
      nameGap: 32,
      ...axis(colors),
    },
    yAxis: { type: 'value', name: y, nameLocation: 'middle', nameGap: 56, ...axis(colors) },
    series: series.map(({ name, points }) => ({ type: 'line', name, data: points, symbolSize: 8 })),
  };
}

function heatOf({ x, y, value, cells }, colors) {
  const values = cells.map(([, , measured]) => measured);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return {
    grid: { left: 80, right: 40, top: 50, bottom: 110 },
    xAxis: {
      type: 'category',
      data: unique(cells, 0),
      name: x,
      nameLocation: 'middle',
      nameGap: 30,
      ...axis(colors),
    },
    yAxis: {
      type: 'category',
      data: unique(cells, 1),
      name: y,
      nameLocation: 'middle',
      nameGap: 40,
      ...axis(colors),
    },
    visualMap: {
      min: least,
      max: most === least ? least + 1 : most,
      precision: 2,
      orient: 'horizontal',
      left: 'center',
      bottom: 8,
      text: [`${short(most)} ${value}`, `${short(least)} ${value}`],
      textStyle: { color: colors.text },
      inRange: { color: colors.scale },
    },
    series: [
      {
        type: 'heatmap',
        data: cells.map((cell) => ({
          value: cell,
          label: { color: inkOn(colors.scale, (cell[2] - least) / (most - least || 1)) },
        })),
        label: { show: true, formatter: ({ value: [, , measured] }) => short(measured) },
      },
    ],
  };
}

/** Black or white, whichever is read better on the color at this place between two. */
function inkOn([from, to], share) {
  const channels = [1, 3, 5].map((at) => {
    const [low, high] = [from, to].map((color) => Number.parseInt(color.slice(at, at + 2), 16));
    return (low + (high - low) * share) / 255;
  });
  const [red, green, blue] = channels.map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  // WCAG's contrast with black and with white is the same here.
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.179 ? '#000' : '#fff';
}

function axis({ text, line }) {
  return {
    axisLabel: { color: text },
    nameTextStyle: { color: text },
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
  };
}

function unique(cells, column) {
  return [...new Set(cells.map((cell) => cell[column]))];
}

function short(value) {
  return Number(value.toPrecision(3)).toLocaleString('en');
}
