// The figures over the load: throughput, latency, what one class takes from the other, the search for load levels.

/** The points of a class as rows over its levels; `keep` chooses by what the other classes do. */
function rowsOf(own, quantity, write, keep) {
  const rows = POINTS.flatMap((point, index) => {
    const io = point.ios[own.name];
    if (!io || !keep(io.beside)) return [];
    const flags = flagWords(point);
    const text = `${pointName(point)}\n${write(io[quantity])}${ofHighest(io, quantity)}${flags ? `\n${flags}` : ""}`;
    return [{ x: across(own, point), estimate: io[quantity], point: index, text, state: stateOf(point) }];
  });
  // Phases come in their own order, a line goes from left to right.
  return rows.sort((one, other) => one.x - other.x);
}

/** How a rate compares with the highest of its class, from rounds in which both were measured. */
const ofHighest = (io, quantity) => (quantity === "rate" && io.of_highest ? `\n${told(io.of_highest, perCent)} of the highest` : "");

const sum = (numbers) => numbers.reduce((all, one) => all + one, 0);

/** Where a point lies in a chart of a class: a place in the middle of what it covers, users by the number of all. */
function across(own, { levels }) {
  const level = levels[own.name];
  return FOUND.users ? sum(Object.values(levels)) : own.places[level - 1] ?? level;
}

/** What a chart of a class has across; places have no name that begins a new scale. */
const acrossAxis = (own) => (own.places.length ? placeAxis(own.outstanding, own.places) : own.outstanding);

/** What the other classes do where a class has figures, in words, each once. */
const besides = (own) => [...new Set(POINTS.flatMap((point) => point.ios[own.name]?.beside ?? []))];

const isAlone = (point, own) => Object.entries(point.levels).every(([name, level]) => level > 0 === (name === own.name));

/** The rate over the levels of a class, a line for each of what the others do. */
function rateCurves(own) {
  const write = (estimate) => `${told(estimate, number)} ${own.unit}`;
  const all = besides(own).map((name) => ({ name, rows: rowsOf(own, "rate", write, (beside) => beside === name) }));
  const label = `${own.unit} of ${own.noun} over the ${own.outstanding}, a line for each load of the other classes, with 95 % intervals`;
  const curve = FOUND.curves.find((one) => one.class.name === own.name);
  const alone = curve && all.find(({ rows }) => rows.some(({ point }) => isAlone(POINTS[point], own)));
  if (!alone) return lines(label, all, acrossAxis(own), own.unit, { min: 0 });
  // One curve: what the search found where nothing was measured later.
  const isMeasured = (x) => alone.rows.some((row) => row.x === x);
  const missing = searched(curve).filter(({ x }) => !isMeasured(x));
  alone.rows = [...alone.rows, ...missing].sort((one, other) => one.x - other.x);
  return saturated(lines(label, all, own.outstanding, own.unit, { min: 0 }), all.indexOf(alone), curve);
}

/** What the names of the parts about the latency of a class end with. */
const suffixOf = (own) => (own === MAIN ? "" : `-of-${own.name}`);

/** Mean, median and 99th percentile of a class at one load of the others. */
function latencyCurves(own) {
  const level = part(`latency-level${suffixOf(own)}`)?.value ?? besides(own)[0];
  const rows = (quantity) => rowsOf(own, quantity, (estimate) => `${quantity} ${told(estimate, time)}`, (beside) => beside === level);
  const all = ["mean", "p50", "p99"].map((quantity) => ({ name: quantity, rows: rows(quantity) }));
  return lines(`Latency of ${own.noun}: mean, median and 99th percentile with 95 % intervals`, all, acrossAxis(own), "latency", {
    ...latencyAxis(),
  });
}

/** What is lost of the rate alone, in per cent. */
function interference(own) {
  const others = FOUND.axes.filter((one) => one.name !== own.name);
  const all = FOUND.interference[own.name].map(({ level, rows }) => ({
    name: `${own.label}=${level}`,
    rows: rows.map((row) => ({
      x: row.added, estimate: row.loss, point: row.point, state: stateOf(POINTS[row.point]),
      text: `${pointName(POINTS[row.point])}\nloses ${told(row.loss, perCent)}\nof what ${own.label}=${level} reaches alone`,
    })),
  }));
  const added = others.map((one) => one.noun).join(" and ");
  const label = `How much of its own rate ${own.noun} loses when ${added} is added`;
  return lines(label, all, `${others.map((one) => one.outstanding).join(" and ")} added`, "loss", {
    axisLabel: { color: look().muted, formatter: perCent },
  });
}

/** The rows of a search. */
const searched = ({ class: { unit }, levels }) => levels.map(({ outstanding, rate }) => ({
  x: outstanding, estimate: rate, hollow: true, text: `${outstanding} outstanding, only in the search for the load levels\n${told(rate, number)} ${unit}`,
}));

/** Marks where a class is saturated; the lines of a chart have two series each. */
function saturated(option, index, { n_sat: level }) {
  if (!option || !isThere(level)) return option;
  const { ink, muted } = look();
  // At the first level the name of the axis stands above the line.
  const aside = level > 1 ? {} : { align: "left", padding: [0, 0, 0, 32] };
  option.series[2 * index].markLine = {
    silent: true, symbol: "none", lineStyle: { color: muted, type: "dashed" },
    data: [{ xAxis: level, label: { formatter: `saturated at ${level}`, color: ink, ...aside } }],
  };
  return option;
}

/** The rate over the levels that were searched, of a class that was not measured alone. */
function searchCurve(own) {
  const curve = FOUND.curves.find((one) => one.class.name === own);
  if (!curve) return null;
  const { unit, outstanding } = curve.class;
  const label = `${unit} over the levels of the search, with 95 % intervals`;
  return saturated(lines(label, [{ name: unit, rows: searched(curve) }], outstanding, unit, { min: 0 }), 0, curve);
}
