// The curve of a bound on the latency over the rates that were visited: marks with intervals, the bound, where the rate lies. Must not judge.

function sloCurve(bound) {
  const { ink, muted, bad, accent } = look();
  const rows = bound.rows.map((row) => ({
    x: row.rate, estimate: row.us, label: row.label, above: row.required,
    text: [`${number(row.rate)} I/Os per second`, `${bound.judged}: ${told(row.us, time)}`, row.told].join("\n"),
  }));
  const [lower, at, upper] = FOUND.slo.rate ?? [];
  const rates = [...rows.map((row) => row.x), lower, upper].filter(isThere);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const room = Math.max((most - least) / 20, most / 50);
  const x = axis("I/Os that arrive per second", { min: Math.max(0, Math.floor(least - room)), max: Math.ceil(most + room), axisLabel: { color: muted, hideOverlap: true, showMinLabel: false, showMaxLabel: false } });
  const label = `${bound.judged} over the rate with 95 % intervals, the bound of ${time(bound.limit_us)}, and the rate that keeps it`;
  const option = lines(label, [{ name: bound.judged, rows }], x, bound.judged, latencyAxis(), [[bound.limit_us]]);
  if (!option) return null;
  const line = option.series[0];
  const dashed = { color: bad, type: "dashed", width: 2 };
  line.markLine = {
    silent: true, symbol: "none", animation: false,
    data: [
      { yAxis: bound.limit_us, lineStyle: dashed, label: { position: "insideStartTop", formatter: bound.name, color: ink } },
      ...(isThere(at) ? [{ xAxis: at, lineStyle: { color: accent, type: "solid", width: 1 }, label: { position: "end", formatter: number(at), color: ink } }] : []),
    ],
  };
  if (isThere(lower) && isThere(upper)) {
    line.markArea = { silent: true, itemStyle: { color: accent, opacity: 0.18 }, data: [[{ xAxis: lower }, { xAxis: upper }]] };
  }
  return option;
}
