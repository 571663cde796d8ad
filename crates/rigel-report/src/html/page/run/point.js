// The figures of the chosen point: its latencies, and what happened inside its visits.

const CHOSEN = { point: 0, own: MAIN };
const OF_POINT = ["histogram", "percentiles", "latency-time", "inside"];
/** Where a power of two is cut, in 64ths of it: of the histogram of a point, and of a visit. */
const FINE = [0, 6, 12, 19, 27, 35, 44, 54];
const COARSE = [0, 12, 27, 44];
/** More columns would be narrower than what one can see. */
const MOST_COLUMNS = 120;

/** Lower end of a part of the histograms, in microseconds. */
const edge = (bin, cuts) => (2 ** Math.floor(bin / cuts.length) * (1 + cuts[bin % cuts.length] / 64)) / 1000;
const binOf = (us, cuts) => {
  const octave = Math.floor(Math.log2(us * 1000));
  const part = ((us * 1000) / 2 ** octave - 1) * 64;
  return octave * cuts.length + cuts.findLastIndex((cut) => cut <= part);
};

const chosen = () => POINTS[CHOSEN.point];
const chosenIo = () => chosen()?.ios[CHOSEN.own.name];
const place = () => `${pointName(chosen())}, ${CHOSEN.own.noun}`;
const visitsOfChosen = () => FOUND.visits.filter((visit) => visit.point === CHOSEN.point && visit.ios[CHOSEN.own.name]);
const visitName = (visit) => `visit ${visit.number}${visit.counts ? "" : ", not counted"}`;

function histogram() {
  const io = chosenIo();
  if (!io?.histogram.length) return null;
  const all = io.histogram.reduce((sum, [, ios]) => sum + ios, 0);
  const { color } = lineLook(FOUND.axes.findIndex((one) => one.name === CHOSEN.own.name), Math.max(FOUND.axes.length, 2));
  const rows = io.histogram.map(([bin, ios]) => ({
    value: [edge(bin, FINE), edge(bin + 1, FINE), ios / all],
    read: `${time(edge(bin, FINE))} to ${time(edge(bin + 1, FINE))}\n${number(ios)} I/Os, ${perCent(ios / all)}`,
  }));
  const renderItem = (params, api) => {
    const [x1, y] = api.coord([api.value(0), api.value(2)]);
    const [x2, bottom] = api.coord([api.value(1), 0]);
    const shape = { x: x1, y, width: Math.max(x2 - x1 - 0.5, 0.5), height: Math.max(bottom - y, 1) };
    return { type: "rect", shape, style: { fill: color } };
  };
  // The median is often near the mean: their names stand at two heights.
  const mark = (name) => ({ xAxis: io[name]?.[0], label: { formatter: name, color: look().ink, distance: name === "mean" ? 18 : 4 } });
  const marks = ["mean", "p50", "p99"].filter((name) => isThere(io[name]?.[0])).map(mark);
  return frame(`Latency histogram, ${place()}`, {
    legend: { show: false },
    xAxis: axis("latency", {
      type: "log", min: rows[0].value[0], max: rows.at(-1).value[1],
      axisLabel: { color: look().muted, formatter: time, hideOverlap: true },
    }),
    yAxis: upright("share of I/Os", { min: 0, axisLabel: { color: look().muted, formatter: perCent } }),
    series: [{
      type: "custom", name: "I/Os", data: rows, renderItem, encode: { x: [0, 1], y: 2 }, clip: true, tooltip: TOLD,
      markLine: { silent: true, symbol: "none", lineStyle: { color: look().ink, type: "dashed" }, data: marks },
    }],
  });
}

/** Latency over the share of I/Os that took longer, so that the tail has room: a step to the right is ten times rarer. */
function percentiles() {
  const io = chosenIo();
  if (!io?.percentiles.length) return null;
  const digits = (nines) => Math.max(2, Math.ceil(nines) + 1);
  const share = (nines) => `${Number((100 * (1 - 10 ** -nines)).toPrecision(digits(nines)))} %`;
  const rows = io.percentiles.map(([nines, us]) => (
    { value: [nines, us], read: `${share(nines)} of the I/Os took ${time(us)} at most` }
  ));
  const { color } = lineLook(FOUND.axes.findIndex((one) => one.name === CHOSEN.own.name), Math.max(FOUND.axes.length, 2));
  const sure = [[-Math.log10(0.5), io.p50], [2, io.p99]].filter(([, estimate]) => isThere(estimate?.[1]));
  return frame(`Percentiles of latency, ${place()}`, {
    xAxis: axis("share of I/Os up to this latency", {
      min: 0, axisLabel: { color: look().muted, formatter: share, hideOverlap: true },
    }),
    yAxis: upright("latency", { type: "log", axisLabel: { color: look().muted, formatter: time } }),
    series: [
      {
        type: "line", name: "all visits together", color, symbol: "circle", symbolSize: 5, data: rows,
        lineStyle: { color, width: 2 }, tooltip: TOLD,
      },
      {
        type: "scatter", name: "p50 and p99 with intervals", color: look().ink, symbol: "diamond", symbolSize: 10,
        data: sure.map(([x, estimate]) => ({ value: [x, estimate[0]], read: `${share(x)}: ${told(estimate, time)}` })), tooltip: TOLD,
      },
      spread("p50 and p99 with intervals", sure.map(([x, estimate]) => ({ x, estimate })), look().ink, false),
    ],
  });
}

/** Columns of the latencies over time: a visit each, or slices of the one visit. A cell is [bin, share]. */
function latencyColumns() {
  const visits = visitsOfChosen();
  if (visits.length > 1) {
    return visits.map((visit) => {
      const bins = visit.ios[CHOSEN.own.name].bins;
      const all = bins.reduce((sum, [, ios]) => sum + ios, 0);
      const title = `${visitName(visit)}, ${seconds(visit.began)} after the start`;
      return { name: seconds(visit.began), title, cells: bins.map(([bin, ios]) => [bin, ios / all]) };
    });
  }
  return visits.flatMap((visit) => slices(visit.ios[CHOSEN.own.name]));
}

function slices({ start, width, rates, means }) {
  const each = Math.ceil(rates.length / MOST_COLUMNS);
  const columns = [];
  for (let at = 0; at < rates.length; at += each) {
    const bins = new Map();
    let all = 0;
    for (let i = at; i < Math.min(at + each, rates.length); i += 1) {
      if (!isThere(means[i]) || means[i] <= 0) continue;
      const bin = binOf(means[i], COARSE);
      bins.set(bin, (bins.get(bin) ?? 0) + rates[i]);
      all += rates[i];
    }
    const from = start + at * width;
    const title = `${seconds(from)} to ${seconds(from + each * width)} of the visit`;
    columns.push({ name: seconds(from), title, cells: [...bins].map(([bin, rate]) => [bin, rate / all]) });
  }
  return columns;
}

function latencyOverTime() {
  const columns = latencyColumns();
  const bins = columns.flatMap(({ cells }) => cells.map(([bin]) => bin));
  if (bins.length === 0) return null;
  const [low, high] = [Math.min(...bins), Math.max(...bins)];
  const least = -5;
  const text = (log) => perCent(10 ** log);
  const data = columns.flatMap(({ title, cells }, x) => cells.map(([bin, share]) => ({
    value: [x, bin - low, Math.max(Math.log10(share), least)],
    read: `${title}\n${time(edge(bin, COARSE))} to ${time(edge(bin + 1, COARSE))}: ${perCent(share)} of the I/Os`,
  })));
  const several = visitsOfChosen().length > 1;
  const rows = Array.from({ length: high - low + 1 }, (_, at) => time(Number(edge(low + at, COARSE).toPrecision(3))));
  // A label at each row where there are few, else at each power of two, or of four or eight where these are too many.
  const every = rows.length <= 9 ? 1 : COARSE.length * Math.ceil(rows.length / COARSE.length / 9);
  const { muted } = look();
  const column = several ? "visit" : "slice of the visit";
  const when = several ? "start of the visit, after the start of the run" : "time since the start of the visit";
  return frame(`Latency over time, ${place()}: a column for each ${column}, its colour the share of I/Os`, {
    legend: { show: false },
    grid: { left: 12, right: 28, top: 36, bottom: 64, containLabel: true },
    xAxis: axis(when, { type: "category", data: columns.map(({ name }) => name), splitLine: { show: false } }),
    yAxis: axis("", {
      type: "category", data: rows, splitLine: { show: false },
      axisLabel: { color: muted, interval: every - 1 }, axisTick: { show: false },
    }),
    visualMap: {
      type: "continuous", min: least, max: 0, calculable: true, orient: "horizontal", left: "center", bottom: 0,
      itemHeight: 150, itemWidth: 12, inRange: { color: EVEN }, formatter: text, textStyle: { color: muted },
    },
    series: [{ type: "heatmap", name: "share of I/Os", data, tooltip: TOLD }],
  });
}

/** The rate inside each visit to the point. */
function inside() {
  const visits = visitsOfChosen().filter((visit) => visit.ios[CHOSEN.own.name].rates.length > 1);
  if (visits.length === 0) return null;
  const { unit, scale } = CHOSEN.own;
  const one = (visit, index) => {
    const { start, width, rates } = visit.ios[CHOSEN.own.name];
    const { color, dash } = lineLook(index, visits.length);
    const item = (rate, at) => {
      const x = start + (at + 0.5) * width;
      const read = `${visitName(visit)}\n${seconds(x)} after the load began\n${number(rate * scale)} ${unit}`;
      return { value: [x, rate * scale], read };
    };
    return {
      type: "line", name: visitName(visit), color, data: rates.map(item), symbol: "circle", symbolSize: 4,
      showSymbol: rates.length < 60, lineStyle: { color, width: 1.5, type: dash }, tooltip: TOLD,
    };
  };
  const series = visits.map(one);
  const settle = Math.max(...visits.map((visit) => visit.settle));
  const seen = series.find((_, index) => visits[index].counts) ?? series[0];
  seen.markArea = {
    silent: true, itemStyle: { color: look().muted, opacity: 0.12 },
    label: { color: look().muted, position: "insideTopLeft" }, data: [[{ name: "settling", xAxis: 0 }, { xAxis: settle }]],
  };
  // Long visits would squeeze the others; the legend shows them.
  const hidden = visits.some((visit) => visit.counts) ? visits.filter((visit) => !visit.counts) : [];
  const selected = Object.fromEntries(hidden.map((visit) => [visitName(visit), false]));
  return frame(`${unit} inside each visit, ${place()}`, {
    legend: { ...legend(), selected },
    xAxis: axis("time since the load began", { min: 0, axisLabel: { color: look().muted, formatter: seconds } }),
    yAxis: upright(unit, { min: 0 }),
    series,
  });
}

/** Makes a point the chosen one, wherever that was asked for. */
function choose(index) {
  const point = POINTS[index];
  if (!point) return;
  CHOSEN.point = index;
  if (!point.ios[CHOSEN.own.name]) CHOSEN.own = FOUND.classes.find((one) => point.ios[one.name]) ?? MAIN;
  part("point").value = String(index);
  for (const { name } of FOUND.axes) {
    const radio = part(`own-${name}`);
    radio.disabled = !point.ios[name];
    radio.checked = name === CHOSEN.own.name;
  }
  const io = chosenIo();
  const rate = `${told(io?.rate, number)} ${CHOSEN.own.unit}`;
  const flags = flagWords(point);
  part("chosen").textContent = `${place()}: ${rate}; mean latency ${told(io?.mean, time)}${flags ? `; ${flags}` : ""}.`;
  redraw([...OF_POINT, "matrix-latency", ...FOUND.classes.flatMap(({ name }) => [`heat-${name}`, `run-${name}`])]);
}
