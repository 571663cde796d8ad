// The page of a soak: rates and latencies over the whole time, with faults and interruptions on the same axis. Must not judge.

const FOUND = dataOf("soak");
/** More points than that have no marks, and no steps for the keyboard. */
const MOST_MARKS = 300;

/** Units of time with the hours of each: the largest of which the soak has three. */
const UNITS = [["days", 24], ["hours", 1], ["minutes", 1 / 60], ["seconds", 1 / 3600]];
const LONGEST = Math.max(0, ...FOUND.classes.flatMap(({ rows }) => rows.map(([hour]) => hour)));
const [UNIT, UNIT_HOURS] = UNITS.find(([, hours]) => LONGEST >= 3 * hours) ?? UNITS.at(-1);

const atHour = (hour) => `after ${number(hour / UNIT_HOURS)} ${UNIT} of load`;
const along = (hour) => hour / UNIT_HOURS;

/** What an interval says of a figure. */
const intervalText = (name, [hour, phase], value, write) =>
  `${name}\n${atHour(hour)}\nphase ${FOUND.phases[phase] ?? phase + 1}\n${isThere(value) ? write(value) : "none"}`;

/** A line over the time of load; it is broken where the phase changes, as other loads are no course. */
function overTime(name, rows, of, write, [index, count]) {
  const { color, dash } = lineLook(index, count);
  const isFew = rows.length <= MOST_MARKS;
  const data = rows.flatMap((row, at) => {
    const [hour, phase] = row;
    const text = intervalText(name, row, of(row), write);
    const item = { value: [along(hour), of(row)], text, read: isFew ? text : undefined };
    return at > 0 && rows[at - 1][1] !== phase ? [{ value: [along(hour), null] }, item] : [item];
  });
  return {
    type: "line", name, color, data, symbol: "circle", symbolSize: isFew ? 5 : 2, showSymbol: true, z: 3,
    lineStyle: { color, width: 1.5, type: dash }, itemStyle: { color }, tooltip: { formatter: (at) => tip(at.data.text) },
  };
}

/** Crosses at the foot of the chart where something was wrong. */
function wrongs(rows, low) {
  const { bad } = look();
  const faulty = rows.filter((row) => row[4] + row[5] > 0);
  const data = faulty.map(([hour, , , , errors, wrong]) => {
    const parts = [errors > 0 ? `${errors} failed` : "", wrong > 0 ? `${wrong} wrong blocks` : ""].filter(Boolean).join(", ");
    return { value: [along(hour), low], read: `${atHour(hour)}\n${parts}` };
  });
  return {
    type: "scatter", name: "failed or wrong", color: bad, data, symbol: "path://M0,0 L4,4 M4,0 L0,4", symbolSize: 12, z: 5,
    itemStyle: { color: bad, borderColor: bad, borderWidth: 2.5 }, tooltip: TOLD,
  };
}

function interruptions() {
  const { care } = look();
  return {
    silent: true, symbol: "none", label: { show: false }, lineStyle: { color: care, type: "dashed", width: 1.5 },
    data: FOUND.interruptions.map((hour) => ({ xAxis: along(hour) })),
  };
}

function course(label, rows, series, y, more) {
  const values = rows.flatMap((row) => series.map(({ of }) => of(row))).filter((value) => isThere(value) && value > 0);
  if (values.length === 0) return null;
  const yAxis = measured(y, values.map((value) => [value, value, value]), more);
  const low = yAxis.min ?? 0;
  const all = series.map(({ name, of, write }, index) => overTime(name, rows, of, write, [index, series.length]));
  all[0].markLine = interruptions();
  const wrong = wrongs(rows, low);
  return frame(label, {
    xAxis: axis(`${UNIT} of load`, { min: 0 }),
    yAxis,
    series: wrong.data.length > 0 ? [...all, wrong] : all,
    ...(series.length === 1 && wrong.data.length === 0 ? { legend: { show: false } } : {}),
  });
}

start(FOUND.classes.some(({ rows }) => rows.length > 0), () => {
  const latencies = ["median", "99 of 100 within", "longest"];
  for (const { name, unit, rows } of FOUND.classes) {
    const rate = (value) => `${number(value)} ${unit}`;
    figure(`rate-${name}`, () => course(`${unit} of ${name} I/O over time`, rows, [{ name: unit, of: (row) => row[2], write: rate }], unit, { min: 0 }));
    const lines = latencies.map((latency, at) => ({ name: latency, of: (row) => row[3][at], write: (us) => `${latency}: ${time(us)}` }));
    figure(`latency-${name}`, () => course(`Latency of ${name} I/O over time`, rows, lines, "latency", latencyAxis()));
  }
  const share = (name) => (percent) => `${name}: ${number(percent)} % of the time`;
  const shares = [["taken", 2], ["allowed", 3]].map(([name, at]) => ({ name, of: (row) => row[at], write: share(name) }));
  figure("share", () => course("Share of the time that the soak took and was allowed", FOUND.beside, shares, "% of the time", { min: 0 }));
  drawAll();
});
