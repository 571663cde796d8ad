// The page of dates and headroom: a year of history, what will be, and the limits. Must not judge.

const FOUND = dataOf("capacity");
const HOURS = Array.from({ length: 24 }, (_, hour) => `${hour}:00`);
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

function past({ history, unit }) {
  const { color } = lineLook(0, 2);
  const data = history.map(([day, level]) => ({ value: [day, level], text: `${day}\n${number(level)} ${unit}` }));
  return {
    type: "line", name: "history", color, data, symbol: "circle", symbolSize: 3, showSymbol: true, z: 3,
    lineStyle: { color, width: 1 }, itemStyle: { color }, tooltip: { formatter: (at) => tip(at.data.text) },
  };
}

function future({ ahead, unit }) {
  const { color } = lineLook(1, 2);
  const rows = ahead.map(([day, ...estimate]) => ({ x: day, estimate }));
  const read = (row) => `week of ${row.x}\n${told(row.estimate, (value) => `${number(value)} ${unit}`)}`;
  const data = rows.map((row) => ({ value: [row.x, row.estimate[0]], read: read(row) }));
  return [
    {
      type: "line", name: "forecast", color, data, symbol: "rect", symbolSize: 4, showSymbol: true, z: 4,
      lineStyle: { color, width: 2, type: "dashed" }, itemStyle: { color }, tooltip: TOLD,
    },
    band(rows, color),
  ];
}

/** The interval as an area: whiskers of a hundred weeks would hide everything. */
function band(rows, color) {
  const sure = rows.filter(({ estimate: [, lo, hi] }) => isThere(lo) && isThere(hi));
  const renderItem = (params, api) => {
    const along = (end) => sure.map((row) => api.coord([Date.parse(row.x), row.estimate[end]]));
    const points = [...along(2), ...along(1).reverse()];
    return { type: "polygon", shape: { points }, style: { fill: color, opacity: 0.18 } };
  };
  return {
    type: "custom", name: "forecast", color, data: sure.slice(0, 1).map((row) => [row.x, row.estimate[0]]), renderItem, silent: true, clip: true, z: 2,
    tooltip: { show: false }, legendHoverLink: false,
  };
}

function limitLines(limits, unit) {
  const { bad, care, ink } = look();
  return {
    symbol: "none", silent: true,
    data: limits.map(({ name, value }, index) => ({
      yAxis: value, lineStyle: { color: index === 0 ? bad : care, type: DASHES[index % DASHES.length], width: 2 },
      label: { show: true, formatter: `${brought(name)}: ${number(value)} ${unit}`, position: "insideStartTop", color: ink },
    })),
  };
}

/** The upright axis ends where limits and lines do; a band that is open does not flatten them. */
function topOf({ history, ahead, limits }) {
  const levels = [...history.map(([, level]) => level), ...ahead.map(([, level]) => level)];
  const top = Math.max(...levels, 0);
  const near = limits.map(({ value }) => value).filter((value) => value < 4 * top);
  return 1.15 * Math.max(top, ...near);
}

function year(course) {
  if (course.history.length === 0) return null;
  const first = past(course);
  first.markLine = limitLines(course.limits, course.unit);
  return frame(`${course.unit} by day, and what will be`, {
    xAxis: axis("", { type: "time" }),
    yAxis: upright(course.unit, { min: 0, max: topOf(course), axisLabel: { color: look().muted, formatter: number, showMaxLabel: false } }),
    series: course.ahead.length > 0 ? [first, ...future(course)] : [first],
  });
}

function week({ week }) {
  if (week.length !== 168 || Math.max(...week) <= 0) return null;
  const { muted } = look();
  const max = Math.max(...week);
  const data = week.map((times, at) => ({
    value: [at % 24, Math.floor(at / 24), times], read: `${DAYS[Math.floor(at / 24)]} ${HOURS[at % 24]}\n${number(times)} times the mean`,
  }));
  const category = (data, more) => axis("", { type: "category", data, splitLine: { show: false }, ...more });
  return frame("mean of each hour of the week", {
    height: 320,
    legend: { show: false },
    grid: { left: 16, right: 16, top: 36, bottom: 62, containLabel: true },
    xAxis: category(HOURS),
    yAxis: category(DAYS, { inverse: true }),
    visualMap: {
      type: "continuous", min: 0, max, calculable: true, orient: "horizontal", left: "center", bottom: 0,
      itemHeight: 150, itemWidth: 12, inRange: { color: EVEN }, formatter: number, textStyle: { color: muted },
    },
    series: [{ type: "heatmap", name: "times the mean", data, tooltip: TOLD }],
  });
}

/** The least share of the credits of each day. */
function credits({ name, days }) {
  if (days.length === 0) return null;
  const { color } = lineLook(0, 2);
  const data = days.map(([day, share]) => ({ value: [day, share], read: `${day}\nat the least ${number(share)} % of the credits left` }));
  return frame(`credits left of ${brought(name)}`, {
    legend: { show: false },
    xAxis: axis("", { type: "time" }),
    yAxis: upright("%", { min: 0, max: 100 }),
    series: [{
      type: "line", name: "credits", color, data, symbol: "circle", symbolSize: 4, showSymbol: true, areaStyle: { color, opacity: 0.12 },
      lineStyle: { color, width: 2 }, itemStyle: { color }, tooltip: TOLD,
    }],
  });
}

start(FOUND.courses.some(({ history }) => history.length > 0), () => {
  for (const course of FOUND.courses) {
    figure(`year-${course.name}`, () => year(course));
    figure(`week-${course.name}`, () => week(course));
  }
  FOUND.credits.forEach((bucket, at) => figure(`credits-${at}`, () => credits(bucket)));
  drawAll();
});
