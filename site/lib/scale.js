// scale.js - scales of sliders and bars.

/** A slider of 0..1000 for numbers of very different sizes: at(position) and position(number). Numbers are rounded to two digits. */
export function logScale(least, most) {
  const [a, b] = [Math.log(least), Math.log(most)];
  const round = (n) => {
    const unit = 10 ** Math.max(0, Math.floor(Math.log10(n)) - 1);
    return Math.round(n / unit) * unit;
  };
  return {
    at: (position) => Math.min(most, Math.max(least, round(Math.exp(a + ((b - a) * Math.min(1000, Math.max(0, position))) / 1000)))),
    position: (n) => Math.round((1000 * (Math.log(Math.min(most, Math.max(least, n))) - a)) / (b - a)),
  };
}

/** A round number that is not below n: 1, 2 or 5 and zeros. */
export function ceiling(n) {
  if (!(n > 0)) return 1;
  const unit = 10 ** Math.floor(Math.log10(n));
  for (const step of [1, 2, 5, 10]) if (n <= step * unit * (1 + 1e-9)) return step * unit;
  return 10 * unit;
}
