// The matrix as a heat map: what each pair of loads reached, and which of them to look at. Must not judge.

/** More cells than this have no room for their numbers. */
const MOST_LABELS = 150;

/**
 * A heat map of one quantity of one class. `write` makes text of a value, `short` that of a cell. A class that is no axis
 * of the matrix has its own levels across. Points that have other classes than the axes have no place.
 */
function matrix(own, quantity, unit, write, short) {
  const { ink, accent, bad, line: rule, muted } = look();
  const [across, up] = [ACROSS, UP].some((one) => one?.name === own.name) ? [ACROSS, UP] : [own, undefined];
  const [acrossLevels, upLevels] = [levelsOf(across), levelsOf(up)];
  const isOff = (name) => name !== across.name && name !== up?.name;
  const cells = POINTS.flatMap((point, index) => {
    if (Object.entries(point.levels).some(([name, level]) => level > 0 && isOff(name))) return [];
    const estimate = point.ios[own.name]?.[quantity];
    if (!estimate || !isThere(estimate[0])) return [];
    return [{ point, index, estimate }];
  });
  if (cells.length === 0) return null;
  const values = cells.map(({ estimate }) => estimate[0]);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const share = (value) => (max > min ? (value - min) / (max - min) : 0.5);
  const shown = cells.length <= MOST_LABELS;
  const place = (axis, levels, point) => levels.indexOf(axis ? point.levels[axis.name] ?? 0 : 0);
  const item = ({ point, index, estimate }) => {
    const flags = flagWords(point);
    const sign = point.invalid ? "✕ " : point.own ? "! " : "";
    const chosen = index === CHOSEN.point;
    return {
      value: [place(across, acrossLevels, point), place(up, upLevels, point), estimate[0]], point: index,
      read: `${pointName(point)}\n${told(estimate, write)}${unit}${ofHighest(point.ios[own.name], quantity)}${flags ? `\n${flags}` : ""}`,
      label: { show: shown || Boolean(sign), formatter: shown ? sign + short(estimate[0]) : sign, color: inkOn(share(estimate[0])), fontSize: 11 },
      itemStyle: { borderColor: chosen ? accent : point.invalid ? bad : rule, borderWidth: chosen ? 4 : point.invalid ? 3 : 1 },
    };
  };
  // What is drawn last is in front: the border of the chosen cell is not covered by its neighbours.
  const inFront = ({ index }) => index === CHOSEN.point;
  const data = [...cells.filter((cell) => !inFront(cell)), ...cells.filter(inFront)].map(item);
  const levels = (name, all) => axis(name, { type: "category", data: all.map(String), splitLine: { show: false }, nameGap: 30 });
  return frame(`${quantity} of ${own.noun} for every point: ${[across, up].filter(Boolean).map((one) => one.outstanding).join(" and ")}`, {
    height: Math.min(Math.max(180 + 30 * upLevels.length, 220), 700),
    legend: { show: false },
    grid: { left: 34, right: 16, top: 36, bottom: 62, containLabel: true },
    xAxis: levels(across.outstanding, acrossLevels),
    yAxis: levels(up ? up.outstanding : "", upLevels),
    visualMap: {
      type: "continuous", min, max: max > min ? max : min + 1, calculable: true, orient: "horizontal", left: "center", bottom: 0,
      itemHeight: 150, itemWidth: 12, inRange: { color: EVEN }, formatter: short, textStyle: { color: muted },
    },
    series: [
      { type: "heatmap", name: quantity, data, emphasis: { itemStyle: { borderColor: ink, borderWidth: 2 } }, tooltip: TOLD },
    ],
  });
}

/** A number that fits into a cell. */
function brief(value) {
  if (value >= 1e6) return `${Number((value / 1e6).toPrecision(3))}M`;
  if (value >= 1e4) return `${Number((value / 1e3).toPrecision(3))}k`;
  return String(Number(value.toPrecision(value >= 1000 ? 4 : 3)));
}
const briefTime = (us) => time(Number(us.toPrecision(3))).replace(" ", "");
