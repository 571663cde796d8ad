// Throughput over the time of the run: every visit with what it found.

/** Every visit with I/Os of a class, at its time; those to the chosen point stand out. */
function overTheRun(own) {
  const visits = FOUND.visits.filter((visit) => visit.ios[own.name]);
  if (visits.length === 0) return null;
  const { unit, scale } = own;
  const { accent, muted, care } = look();
  const item = (visit) => ({
    value: [visit.began + visit.settle, visit.ios[own.name].rate * scale, visit.began + visit.settle + visit.measured], point: visit.point,
    read: [
      pointName(POINTS[visit.point]),
      `${visitName(visit)}: ${visit.purpose}`,
      `${number(visit.ios[own.name].rate * scale)} ${unit} for ${seconds(visit.measured)}, ${seconds(visit.began)} after the start`,
    ].join("\n"),
  });
  const group = (name, color, symbol, size, holds) => ({
    type: "scatter", name, color, symbol, symbolSize: size, data: visits.filter(holds).map(item), itemStyle: { color }, encode: { x: 0, y: 1 },
    tooltip: TOLD,
  });
  const isChosen = (visit) => visit.point === CHOSEN.point;
  const series = [
    group("other points", muted, "circle", 6, (visit) => visit.counts && !isChosen(visit)),
    group("not counted", care, "emptyTriangle", 9, (visit) => !visit.counts && !isChosen(visit)),
    group("chosen point", accent, "diamond", 12, isChosen),
  ].filter(({ data }) => data.length > 0);
  return frame(`${unit} of every visit over the time of the run`, {
    xAxis: axis("time since the start of the run", { min: 0, axisLabel: { color: muted, formatter: seconds } }),
    yAxis: upright(unit, { min: 0 }),
    series,
  });
}
