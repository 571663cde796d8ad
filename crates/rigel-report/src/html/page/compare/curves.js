// The page of a comparison: both sides over the load, and every change with its interval. Must not judge.

const FOUND = dataOf("comparison");
const QUANTITIES = Object.fromEntries(FOUND.quantities.map((one) => [one.name, one]));

const writer = (quantity) => (quantity.unit === "us" ? time : (value) => `${number(value)} ${quantity.unit}`);
const signed = (share) => (isThere(share) ? `${share > 0 ? "+" : ""}${number(100 * share)} %` : "-");

/** What a row says, for tooltip and keyboard. */
function story(quantity, row) {
  const write = writer(quantity);
  const change = row.change ? `${signed(row.change[0])}, ${signed(row.change[1])} to ${signed(row.change[2])}` : "change unknown";
  const [base, fresh] = FOUND.sides;
  return [row.name, `${base}: ${told(row.base, write)}`, `${fresh}: ${told(row.new, write)}`, `${change}: ${row.verdict}`].join("\n");
}

/** Both sides of a quantity over the levels of its class, beside the chosen load of the other classes. */
function overlay(quantity) {
  if (!quantity) return null;
  const beside = Number(document.getElementById(`level-${quantity.name}`)?.value ?? 0);
  const rows = quantity.rows.filter((row) => row.beside === beside);
  const side = (name, key) => ({
    name, rows: rows.map((row) => ({ x: row.level, estimate: row[key], text: story(quantity, row), state: row.invalid ? "bad" : undefined })),
  });
  const more = quantity.unit === "us" ? latencyAxis() : { min: 0 };
  const label = `${quantity.title} of both sides over the ${quantity.axis}, with 95 % intervals`;
  return lines(label, [side(FOUND.sides[0], "base"), side(FOUND.sides[1], "new")], quantity.axis, quantity.unit === "us" ? "latency" : quantity.unit, more);
}

/** Every change of the chosen quantity with its interval, a line for each point. */
function changes() {
  const quantity = QUANTITIES[document.getElementById("quantity").value];
  const rows = quantity.rows.filter((row) => row.change);
  if (rows.length === 0) return null;
  const { ink, muted, bad, good } = look();
  const colours = { worse: bad, better: good };
  const marks = { worse: "triangle", better: "diamond" };
  const item = (row, index) => ({
    value: [100 * row.change[0], index], read: story(quantity, row), symbol: marks[row.verdict] ?? "circle",
    itemStyle: { color: colours[row.verdict] ?? muted },
  });
  const whisker = (params, api) => {
    const [low, high] = [1, 2].map((end) => api.coord([api.value(end), api.value(0)]));
    const colour = colours[rows[params.dataIndex].verdict] ?? muted;
    const bar = (x1, y1, x2, y2) => ({ type: "line", shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 2 } });
    return { type: "group", children: [
      bar(low[0], low[1], high[0], high[1]), bar(low[0], low[1] - 4, low[0], low[1] + 4), bar(high[0], high[1] - 4, high[0], high[1] + 4),
    ] };
  };
  const option = frame(`Change of ${quantity.title} at every point with its interval`, {
    legend: { show: false },
    xAxis: axis("change in %, whiskers: the interval", { scale: false, axisLabel: { color: muted, formatter: "{value} %" } }),
    yAxis: { type: "category", inverse: true, data: rows.map((row) => row.name), axisLabel: { color: ink }, axisTick: { show: false }, axisLine: { lineStyle: { color: muted } } },
    series: [
      {
        type: "scatter", name: "change", symbolSize: 11, data: rows.map(item), tooltip: TOLD, z: 3,
        markLine: { silent: true, symbol: "none", lineStyle: { color: ink, type: "solid" }, label: { show: false }, data: [{ xAxis: 0 }] },
      },
      {
        type: "custom", name: "interval", data: rows.map((row, index) => [index, 100 * row.change[1], 100 * row.change[2]]),
        encode: { x: [1, 2], y: 0 }, renderItem: whisker, silent: true, clip: true, tooltip: { show: false },
      },
    ],
  });
  option.grid.top = 40;
  option.grid.left = 28;
  option.height = Math.max(240, 120 + 26 * rows.length);
  return option;
}

function listen() {
  const select = document.getElementById("quantity");
  if (select) {
    fill(select, FOUND.quantities.map((quantity) => [quantity.name, quantity.title]));
    select.addEventListener("change", () => drawAll(["changes"]));
  }
  for (const quantity of FOUND.quantities) {
    const level = document.getElementById(`level-${quantity.name}`);
    if (!level) continue;
    fill(level, quantity.besides.map((beside, place) => [place, beside]));
    level.addEventListener("change", () => drawAll([`over-${quantity.name}`]));
  }
}

start(FOUND.quantities.length > 0, () => {
  listen();
  FOUND.quantities.forEach((quantity) => figure(`over-${quantity.name}`, () => overlay(quantity)));
  if (document.getElementById("changes")) figure("changes", changes);
  drawAll();
});
