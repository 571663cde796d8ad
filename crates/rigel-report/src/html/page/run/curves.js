// The figures over the load: throughput, latency, what one class takes from the other, the search for load levels.

/** A line per level of the other class, over the levels of `own`. */
function perLevel(own, other, quantity, unit, write) {
  const levels = own === "small" ? LARGE_LEVELS : SMALL_LEVELS;
  const rows = (level) => POINTS.flatMap((point, index) => {
    if (point[other] !== level || point[own] === 0) return [];
    const estimate = point[`${own}_io`]?.[quantity];
    const flags = flagWords(point);
    const text = `${pointName(point)}\n${told(estimate, write)}${unit}${flags ? `\n${flags}` : ""}`;
    return [{ x: point[own], estimate, point: index, text, state: stateOf(point) }];
  });
  const named = other === "large" ? "Large" : "Small";
  return levels.map((level) => ({ name: `${named}=${level}`, rows: rows(level) }));
}

const iopsCurves = () => lines(
  "IOPS of small I/Os over the outstanding small I/Os, a line for each number of outstanding large I/Os, with 95 % intervals",
  perLevel("small", "large", "iops", " IOPS", number), "outstanding small I/Os", "IOPS", { min: 0 });

const mbpsCurves = () => lines(
  "MBPS of large I/Os over the outstanding large I/Os, a line for each number of outstanding small I/Os, with 95 % intervals",
  perLevel("large", "small", "mbps", " MBPS", number), `outstanding large ${FOUND.large_unit}`, "MBPS", { min: 0 });

/** Mean, median and 99th percentile of one class at one level of the other. */
function latencyCurves() {
  const own = FOUND.has_small ? "small" : "large";
  const other = own === "small" ? "large" : "small";
  const level = Number(part("latency-level").value);
  const rows = (quantity) => POINTS.flatMap((point, index) => {
    if (point[other] !== level || point[own] === 0) return [];
    const estimate = point[`${own}_io`]?.[quantity];
    const flags = flagWords(point);
    const text = `${pointName(point)}\n${quantity} ${told(estimate, time)}${flags ? `\n${flags}` : ""}`;
    return [{ x: point[own], estimate, point: index, text, state: stateOf(point) }];
  });
  const all = ["mean", "p50", "p99"].map((quantity) => ({ name: quantity, rows: rows(quantity) }));
  return lines(`Latency of ${own} I/Os: mean, median and 99th percentile with 95 % intervals`, all, `outstanding ${own} I/Os`, "latency", {
    min: 0, axisLabel: { color: look().muted, formatter: time },
  });
}

/** The levels of the other class at which there is a latency to show. */
function latencyLevels() {
  const own = FOUND.has_small ? "small" : "large";
  const other = own === "small" ? "large" : "small";
  return distinct(POINTS.filter((point) => point[own] > 0).map((point) => point[other]));
}

/** What is lost of the rate alone, in per cent. */
function interference(own) {
  const other = own === "small" ? "large" : "small";
  const named = own === "small" ? "Small" : "Large";
  const all = FOUND.interference[own].map(({ level, rows }) => ({
    name: `${named}=${level}`,
    rows: rows.map((row) => ({
      x: row.added, estimate: row.loss, point: row.point, state: stateOf(POINTS[row.point]),
      text: `${pointName(POINTS[row.point])}\nloses ${told(row.loss, perCent)}\nof what ${named}=${level} reaches alone`,
    })),
  }));
  return lines(`What ${own} I/O loses of its rate alone when ${other} I/O is added`, all, `outstanding ${other} I/Os added`, "loss", {
    axisLabel: { color: look().muted, formatter: perCent },
  });
}

/** The rate over the levels that were searched. */
function searchCurve(own) {
  const curve = FOUND.curves.find((one) => one.class === own);
  if (!curve) return null;
  const unit = own === "small" ? "IOPS" : "MBPS";
  const rows = curve.levels.map(({ outstanding, rate }) => (
    { x: outstanding, estimate: rate, text: `${outstanding} outstanding\n${told(rate, number)} ${unit}` }
  ));
  const label = `${unit} over the levels of the search, with 95 % intervals`;
  const option = lines(label, [{ name: unit, rows }], `outstanding ${own} I/Os`, unit, { min: 0 });
  if (!option) return null;
  const { ink, muted } = look();
  option.series[0].markLine = {
    silent: true, symbol: "none", lineStyle: { color: muted, type: "dashed" },
    data: [{ xAxis: curve.n_sat, label: { formatter: `saturated at ${curve.n_sat}`, color: ink } }],
  };
  return option;
}
