/** The plots of a report as SVG, drawn by ECharts without a browser. Axis titles have their unit. */
import { type EChartsOption, init } from 'echarts';

export type Plot = BarPlot | LinePlot | HeatPlot;

export interface BarPlot {
  readonly kind: 'bar';
  readonly title: string;
  /** Title of the value axis. */
  readonly y: string;
  readonly points: readonly (readonly [name: string, value: number])[];
}

export interface LinePlot {
  readonly kind: 'line';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly isLogarithmic?: boolean;
  readonly series: readonly {
    readonly name: string;
    readonly points: readonly (readonly [x: number, y: number])[];
  }[];
}

export interface HeatPlot {
  readonly kind: 'heat';
  readonly title: string;
  readonly x: string;
  readonly y: string;
  /** Unit of the values. */
  readonly value: string;
  readonly cells: readonly HeatCell[];
}

type HeatCell = readonly [x: string, y: string, value: number];

export type Theme = 'light' | 'dark';

interface Colors {
  readonly text: string;
  readonly line: string;
  /** The colours of the smallest and of the largest value. */
  readonly scale: readonly [string, string];
}

const WIDTH = 720;
const HEIGHT = 380;
/** Of an axis label, generously. */
const CHARACTER_WIDTH = 7;
const COLORS: Readonly<Record<Theme, Colors>> = {
  light: { text: '#1f2328', line: '#d0d7de', scale: ['#e6f2ff', '#0b4f9c'] },
  dark: { text: '#e6edf3', line: '#3d444d', scale: ['#0c2d52', '#79c0ff'] },
};
const PALETTE = ['#2f81f7', '#e3663b', '#2da44e', '#a371f7', '#d29922'];

/** The background is the page's. */
export function svgOf(plot: Plot, theme: Theme): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width: WIDTH, height: HEIGHT });
  const colors = COLORS[theme];
  chart.setOption({
    animation: false,
    color: PALETTE,
    textStyle: { fontFamily: 'system-ui, sans-serif', color: colors.text },
    title: { text: plot.title, left: 'center', top: 8, textStyle: { color: colors.text, fontSize: 15 } },
    ...optionOf(plot, colors),
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}

function optionOf(plot: Plot, colors: Colors): EChartsOption {
  if (plot.kind === 'bar') return barOf(plot, colors);
  return plot.kind === 'line' ? lineOf(plot, colors) : heatOf(plot, colors);
}

function barOf({ y, points }: BarPlot, colors: Colors): EChartsOption {
  const names = points.map(([name]) => name);
  return {
    // Names on the left: any number of contenders fits without overlap.
    grid: { left: labelWidth(names), right: 70, top: 50, bottom: 50 },
    xAxis: { type: 'value', name: y, nameLocation: 'middle', nameGap: 28, ...axis(colors) },
    yAxis: { type: 'category', data: names, inverse: true, ...axis(colors) },
    series: [
      {
        type: 'bar',
        data: points.map(([, value]) => value),
        label: {
          show: true,
          position: 'right',
          color: colors.text,
          formatter: ({ value }) => short(Number(value)),
        },
      },
    ],
  };
}

function labelWidth(names: readonly string[]): number {
  return 20 + CHARACTER_WIDTH * Math.max(...names.map(({ length }) => length));
}

function lineOf({ x, y, isLogarithmic = false, series }: LinePlot, colors: Colors): EChartsOption {
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
    series: series.map(({ name, points }) => ({
      type: 'line',
      name,
      data: points.map((point) => [...point]),
      symbolSize: 8,
    })),
  };
}

function heatOf({ x, y, value, cells }: HeatPlot, colors: Colors): EChartsOption {
  const values = cells.map(([, , measured]) => measured);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  return {
    grid: { left: 80, right: 40, top: 50, bottom: 110 },
    xAxis: {
      type: 'category',
      data: unique(cells.map(([column]) => column)),
      name: x,
      nameLocation: 'middle',
      nameGap: 30,
      ...axis(colors),
    },
    yAxis: {
      type: 'category',
      data: unique(cells.map(([, row]) => row)),
      name: y,
      nameLocation: 'middle',
      nameGap: 40,
      ...axis(colors),
    },
    visualMap: {
      min,
      max: max === min ? min + 1 : max,
      precision: 2,
      orient: 'horizontal',
      left: 'center',
      bottom: 8,
      text: [`${short(max)} ${value}`, `${short(min)} ${value}`],
      textStyle: { color: colors.text },
      inRange: { color: [...colors.scale] },
    },
    series: [
      {
        type: 'heatmap',
        data: cells.map((cell) => ({
          value: [...cell],
          label: {
            color: inkOn(colors.scale, (cell[2] - min) / (max - min || 1)),
            formatter: () => short(cell[2]),
          },
        })),
        label: { show: true },
      },
    ],
  };
}

/** Black or white, whichever has more contrast with the colour at this share of the way between two. */
function inkOn([from, to]: readonly [string, string], share: number): '#000' | '#fff' {
  const linear = (at: number): number => {
    const [low, high] = [channel(from, at), channel(to, at)];
    const value = (low + (high - low) * share) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  // At this luminance, WCAG's contrast with black equals that with white.
  return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5) > 0.179 ? '#000' : '#fff';
}

function channel(color: string, at: number): number {
  return Number.parseInt(color.slice(at, at + 2), 16);
}

function axis({ text, line }: Colors) {
  return {
    axisLabel: { color: text },
    nameTextStyle: { color: text },
    axisLine: { lineStyle: { color: line } },
    splitLine: { lineStyle: { color: line } },
  };
}

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

function short(value: number): string {
  return Number(value.toPrecision(3)).toLocaleString('en');
}
