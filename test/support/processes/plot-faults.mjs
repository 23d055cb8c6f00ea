/** Evaluated in a page by a test: lists what cannot be read in the visible plots. */
(function findPlotFaults(minContrast) {
  const faults = [];
  const rgb = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
  const luminance = (color) => {
    const [r = 0, g = 0, b = 0] = rgb(color).map((value) => {
      const share = value / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const contrast = (one, other) => {
    const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (high + 0.05) / (low + 0.05);
  };
  for (const svg of document.querySelectorAll('svg')) {
    if (svg.getBoundingClientRect().width === 0) continue;
    svg.scrollIntoView();
    const frame = svg.getBoundingClientRect();
    const labels = [...svg.querySelectorAll('text')]
      .filter((element) => element.textContent.trim() !== '')
      .map((element) => ({ element, name: element.textContent, box: element.getBoundingClientRect() }));
    for (const [index, { element, name, box }] of labels.entries()) {
      if (
        box.left < frame.left ||
        box.right > frame.right ||
        box.top < frame.top ||
        box.bottom > frame.bottom
      )
        faults.push(`${name} is clipped`);
      for (const other of labels.slice(index + 1)) {
        const width = Math.min(box.right, other.box.right) - Math.max(box.left, other.box.left);
        const height = Math.min(box.bottom, other.box.bottom) - Math.max(box.top, other.box.top);
        if (width > 1 && height > 1) faults.push(`${name} overlaps ${other.name}`);
      }
      const below = document
        .elementsFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2)
        .filter((behind) => behind.matches('svg path, svg rect'))
        .map((behind) => getComputedStyle(behind))
        .find(({ fill, fillOpacity }) => fill !== 'none' && fillOpacity !== '0')?.fill;
      const background = below ?? getComputedStyle(document.body).backgroundColor;
      if (contrast(getComputedStyle(element).fill, background) < minContrast)
        faults.push(`${name} lacks contrast`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the window');
  if (document.body.textContent.includes('NaN')) faults.push('the page contains NaN');
  return faults;
});
