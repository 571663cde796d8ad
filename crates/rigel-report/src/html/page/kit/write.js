// How figures are written, the same on every page. Must not know what they are about.

const distinct = (values) => [...new Set(values)].sort((a, b) => a - b);
const isThere = (value) => typeof value === "number" && Number.isFinite(value);

/** Four figures, with a comma for thousands. */
function number(value) {
  if (!isThere(value)) return "-";
  const digits = Math.abs(value) >= 1000 ? Math.round(value) : Number(value.toPrecision(4));
  return digits.toLocaleString("en", { maximumFractionDigits: 6 });
}

/** A time in the unit that suits it. */
function time(us) {
  if (!isThere(us)) return "-";
  if (us >= 1e6) return `${number(us / 1e6)} s`;
  return us >= 1e3 ? `${number(us / 1e3)} ms` : `${number(us)} us`;
}

const seconds = (s) => `${number(s)} s`;
const perCent = (share) => (isThere(share) ? `${number(100 * share)} %` : "-");

/** Half of a relative width in per cent: nobody reads more than one decimal of it. */
const width = (percent) => (percent > 0 && percent < 0.05 ? "<0.1" : percent.toFixed(percent < 9.95 ? 1 : 0));

/** A figure with both ends of its interval: an estimate is [value, lo95, hi95]. */
function told(estimate, write) {
  if (!estimate || !isThere(estimate[0])) return "-";
  const [value, lo, hi] = estimate;
  if (!isThere(lo)) return `${write(value)}, no interval`;
  const share = value === 0 ? "" : ` (±${width((50 * (hi - lo)) / Math.abs(value))} %)`;
  return `${write(value)}, 95 % ${write(lo)} to ${write(hi)}${share}`;
}

/** A legend has no room for more of a name; the tooltip has. */
const MOST_LETTERS = 36;
const brought = (name) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS / 2)}…${name.slice(-MOST_LETTERS / 2)}` : name);
