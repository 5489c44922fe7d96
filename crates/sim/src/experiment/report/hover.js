'use strict';
// Each figure carries the values of its plots as JSON in its metadata; pointing at a curve shows them.
const tip = document.getElementById('tip');
const number = value => {
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-3)) return value.toExponential(2);
  return value.toLocaleString('en', { maximumSignificantDigits: 4 });
};
const place = (axis, value, from, to) => {
  const [lo, hi, at] = axis.log ? [axis.lo, axis.hi, value].map(Math.log10) : [axis.lo, axis.hi, value];
  return from + (to - from) * (at - lo) / (hi - lo);
};
for (const svg of document.querySelectorAll('figure svg')) {
  const metadata = svg.querySelector('metadata');
  if (!metadata) continue;
  const plots = JSON.parse(metadata.textContent);
  // Rows of intervals have their values beside them.
  if (!Array.isArray(plots)) continue;
  const dot = document.createElementNS('http://www.w3.org/2000/svg', 'circle');
  dot.setAttribute('r', '7');
  dot.setAttribute('fill', 'none');
  dot.setAttribute('stroke-width', '3');
  dot.style.display = 'none';
  svg.append(dot);
  const hide = () => { tip.style.display = 'none'; dot.style.display = 'none'; };
  const show = event => {
    const box = svg.getBoundingClientRect();
    const scale = svg.viewBox.baseVal.width / box.width;
    const [px, py] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
    let best = null;
    for (const plot of plots) {
      const [left, right, top, bottom] = plot.frame;
      if (px < left - 8 || px > right + 8 || py < top - 8 || py > bottom + 8) continue;
      for (const curve of plot.curves) {
        for (const point of curve.points) {
          const x = place(plot.x, point[0], left, right);
          const y = place(plot.y, point[1], bottom, top);
          const distance = Math.hypot(x - px, y - py);
          if (!best || distance < best.distance) best = { distance, plot, curve, point, x, y };
        }
      }
    }
    if (!best || best.distance > 90) return hide();
    const [x, mean, low, high] = best.point;
    const band = high > low ? ` (${number(low)} to ${number(high)})` : '';
    tip.replaceChildren();
    const name = document.createElement('b');
    name.textContent = best.curve.name;
    name.style.color = best.curve.color;
    const value = document.createElement('div');
    value.textContent = `${number(mean)}${band}`;
    const where = document.createElement('div');
    where.textContent = `at ${number(x)} ${best.plot.x.label}`;
    tip.append(name, value, where);
    tip.style.display = 'block';
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)}px`;
    tip.style.top = `${Math.max(8, event.clientY - tip.offsetHeight - 14)}px`;
    dot.setAttribute('cx', best.x);
    dot.setAttribute('cy', best.y);
    dot.setAttribute('stroke', best.curve.color);
    dot.style.display = '';
  };
  svg.addEventListener('pointermove', show);
  svg.addEventListener('pointerdown', show);
  svg.addEventListener('pointerleave', hide);
}
