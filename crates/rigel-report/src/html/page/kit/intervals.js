// Lines whose figures have 95 % intervals: a band along the line, a whisker at each figure. Must not know units.

/** A scale on which both few and many outstanding I/Os can be told apart. */
function levelAxis(name, levels) {
  const above = levels.filter((level) => level > 0);
  const wide = levels.every((level) => level > 0) && Math.max(...above) / Math.min(...above) >= 16;
  if (wide) return axis(name, { type: "log", logBase: 2 });
  // Room behind the last level, so that its whisker is not cut.
  return axis(name, { min: 0, max: ({ max }) => max + Math.max(1, Math.round(max / 25)), minInterval: 1, axisLabel: { color: look().muted, hideOverlap: true, fontSize: onPaper ? 10 : 12, showMaxLabel: false } });
}

/** The whole of a target, or the part of it that has places. */
const placeAxis = (name, middles) => {
  const half = middles.length > 1 ? (middles[1] - middles[0]) / 2 : 50;
  return axis(name, { min: middles[0] - half, max: middles.at(-1) + half });
};

/** An upright axis of latencies: they differ by factors, and the short ones matter as much as the long ones. */
const latencyAxis = () => ({ type: "log", axisLabel: { color: look().muted, formatter: time } });

/** The ends of a logarithmic axis and what it names: 1, 2 and 5 of every power of ten, or the powers alone when these are many. */
function logScale(estimates) {
  const ends = estimates.flatMap(([value, lo, hi]) => (value > 0 ? [value, Math.max(lo ?? value, value / 4), hi ?? value] : []));
  if (ends.length === 0) return {};
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const from = Math.floor(Math.log10(low));
  const powers = Array.from({ length: Math.ceil(Math.log10(high)) - from + 1 }, (_, at) => 10 ** (from + at));
  const within = (all) => all.filter((_, at) => (all[at + 1] ?? Infinity) > low && (all[at - 1] ?? 0) < high);
  const fine = within(powers.flatMap((power) => [1, 2, 5].map((part) => part * power)));
  const ticks = fine.length > 10 ? within(powers) : fine;
  return { min: ticks[0], max: ticks.at(-1), ticks };
}

/** An upright axis; `more` says whether it is logarithmic. */
function measured(name, estimates, more) {
  if (more.type !== "log") return upright(name, more);
  const { min, max, ticks } = logScale(estimates);
  return upright(name, { ...more, min, max, axisTick: { customValues: ticks }, axisLabel: { ...more.axisLabel, customValues: ticks } });
}

/**
 * The series of one line: the line with its marks, then band and whiskers. A row is {x, estimate, text, point, state, hollow}:
 * `point` is what a click on it chooses, `state` whether it asks for care ("care") or must not be used ("bad"); `hollow` is a
 * figure that is not of the measurement, `label` a name below it, or `above`. No whisker goes below `floor`.
 */
function line({ name, rows }, [index, count], floor) {
  const { bad, care, ink, panel, paper } = look();
  const { color, mark, dash } = lineLook(index, count);
  const hollow = { color: paper, borderColor: color, borderWidth: 1.5 };
  const item = (row) => {
    const isBad = row.state === "bad";
    const state = isBad ? bad : care;
    return {
      value: [row.x, row.estimate[0]], point: row.point ?? -1, read: row.text,
      itemStyle: row.hollow ? hollow : row.state ? { color: isBad ? panel : color, borderColor: state, borderWidth: 2.5 } : undefined,
      label: row.state ? { show: true, formatter: isBad ? "✕" : "!", color: state, position: "top", fontWeight: "bold", fontSize: 14 }
        : row.label ? { show: true, formatter: row.label, color: ink, position: row.above ? "top" : "bottom" } : undefined,
    };
  };
  const shown = rows.filter((row) => row.estimate && isThere(row.estimate[0]));
  return [
    {
      type: "line", name, color, data: shown.map(item), symbol: mark, symbolSize: count > FEW ? 5 : 9, showAllSymbol: true, z: 3,
      lineStyle: { color, width: 2, type: dash }, itemStyle: { color },
      tooltip: TOLD,
    },
    spread(name, shown, color, count <= FEW, floor),
  ];
}

/** Band and whiskers of a line; under its name, so that the legend hides both. */
function spread(name, rows, color, band, floor = -Infinity) {
  const ends = ({ estimate: [, lo, hi] }) => [Math.max(lo, floor), hi];
  const sure = rows.filter((row) => isThere(row.estimate[1]) && isThere(row.estimate[2])).map((row) => [row.x, ...ends(row)]);
  const renderItem = (params, api) => {
    const at = (end) => api.coord([api.value(0), api.value(end)]);
    const [low, high] = [at(1), at(2)];
    const stroke = { stroke: color, lineWidth: 1.5, fill: "none" };
    const bar = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: stroke });
    const children = [
      bar(low[0], low[1], high[0], high[1]),
      bar(low[0] - 4, low[1], low[0] + 4, low[1]),
      bar(high[0] - 4, high[1], high[0] + 4, high[1]),
    ];
    if (band && params.dataIndex === 0 && sure.length > 1) {
      const along = (end) => sure.map((row) => api.coord([row[0], row[end]]));
      children.unshift({ type: "polygon", shape: { points: [...along(2), ...along(1).reverse()] }, style: { fill: color, opacity: 0.16 } });
    }
    return { type: "group", children };
  };
  return {
    type: "custom", name, color, data: sure, encode: { x: 0, y: [1, 2] },
    renderItem, silent: true, clip: true, z: 2, tooltip: { show: false }, legendHoverLink: false,
  };
}

/**
 * A chart of several lines over a number of outstanding I/Os, or another axis; nothing when no line has a figure. A line that looks the same in
 * several charts says in `turn` which of how many it is. What is drawn `beside` the lines has room, too.
 */
function lines(label, all, x, y, more, beside = []) {
  const some = all.filter(({ rows }) => rows.some((row) => row.estimate && isThere(row.estimate[0])));
  if (some.length === 0) return null;
  const levels = some.flatMap(({ rows }) => rows.map((row) => row.x));
  const yAxis = measured(y, [...some.flatMap(({ rows }) => rows.map((row) => row.estimate ?? [])), ...beside], more);
  return frame(label, {
    xAxis: typeof x === "string" ? levelAxis(x, levels) : x,
    yAxis,
    series: some.flatMap((one, index) => line(one, one.turn ?? [index, some.length], yAxis.type === "log" ? yAxis.min : undefined)),
    // One line needs no name.
    ...(some.length === 1 ? { legend: { show: false } } : {}),
  });
}
