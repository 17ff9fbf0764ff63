// scales.js - logarithmic scales and what is best on them. Pure.

/** A scale from [low, high] to [from, to], both ends of the domain above 0. */
export function logScale(low, high, from, to) {
  const [a, b] = [Math.log(low), Math.log(high)];
  return (v) => from + ((Math.log(v) - a) / (b - a || 1)) * (to - from);
}

/** 1, 2, 5 and their tens within [low, high]; only the tens where those would be many. */
export function logTicks(low, high, most = 8) {
  for (const steps of [[1, 2, 5], [1, 3], [1]]) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
      for (const step of steps) {
        const tick = Number(`${step}e${power}`);
        if (tick >= low * 0.999 && tick <= high * 1.001) ticks.push(tick);
      }
    }
    if (ticks.length <= most || steps.length === 1) return ticks;
  }
  return [];
}

/** Those that nothing cheaper reaches: x shall be small, y large. Ordered by x. */
export function frontier(points) {
  const best = [];
  let most = -Infinity;
  for (const point of [...points].sort((a, b) => a.x - b.x || b.y - a.y)) {
    if (point.y <= most) continue;
    most = point.y;
    best.push(point);
  }
  return best;
}
