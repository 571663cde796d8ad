// The curve of a bound on the latency over the rates that were visited: marks with intervals, the bound, where the rate lies. Must not judge.

function sloCurve(bound) {
  const { ink, muted, bad, accent } = look();
  const scaled = FOUND.slo.scaled;
  const digits = (x) => scaled ? `${Math.round(x * 100) / 100}` : number(x);
  const phases = [...new Set(bound.rows.map((row) => row.phase))];
  const ofPhase = (phase) => bound.rows.filter((row) => row.phase === phase).map((row) => ({
    x: row.rate, estimate: row.us, label: phase === phases[0] ? row.label : null, above: row.required,
    text: [scaled ? `${digits(row.rate)} times the load, phase ${row.phase}` : `${number(row.rate)} I/Os per second`,
      `${bound.judged}: ${told(row.us, time)}`, row.told].join("\n"),
  }));
  const all = phases.map((phase) => ({ name: phases.length > 1 ? `phase ${phase}` : bound.judged, rows: ofPhase(phase) }));
  const [lower, at, upper] = FOUND.slo.rate ?? [];
  const rates = [...bound.rows.map((row) => row.rate), lower, upper].filter(isThere);
  const [least, most] = [Math.min(...rates), Math.max(...rates)];
  const room = Math.max((most - least) / 20, most / 50);
  const unit = scaled ? 100 : 1;
  const [from, to] = [Math.max(0, Math.floor((least - room) * unit) / unit), Math.ceil((most + room) * unit) / unit];
  const x = axis(scaled ? "times the load" : "I/Os that arrive per second", { min: from, max: to, axisLabel: { color: muted, hideOverlap: true, showMinLabel: false, showMaxLabel: false } });
  const what = scaled ? "scale" : "rate";
  const label = `${bound.judged} over the ${what} with 95 % intervals, the bound of ${time(bound.limit_us)}, and the ${what} that keeps it`;
  const option = lines(label, all, x, bound.judged, latencyAxis(), [[bound.limit_us]]);
  if (!option) return null;
  const line = option.series[0];
  const dashed = { color: bad, type: "dashed", width: 2 };
  line.markLine = {
    silent: true, symbol: "none", animation: false,
    data: [
      { yAxis: bound.limit_us, lineStyle: dashed, label: { position: "insideStartTop", formatter: bound.name, color: ink } },
      ...(isThere(at) ? [{ xAxis: at, lineStyle: { color: accent, type: "solid", width: 1 }, label: { position: "end", formatter: digits(at), color: ink } }] : []),
    ],
  };
  if (isThere(lower) && isThere(upper)) {
    line.markArea = { silent: true, itemStyle: { color: accent, opacity: 0.18 }, data: [[{ xAxis: lower }, { xAxis: upper }]] };
  }
  return option;
}
