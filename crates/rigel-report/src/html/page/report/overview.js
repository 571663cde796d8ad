// The curves of several runs over each other. Must not know what a page of a run shows.

/** A chart of the overview: a line for each run. A point of it stands for its run. */
function overlay({ runs }, { title, about, x, unit, lines: all }) {
  const write = unit ? number : time;
  const differ = distinct(all.map(({ writes }) => writes)).length > 1;
  const named = ({ run, writes }) => runs[run] + (differ ? `, ${writes} % writes` : "");
  const row = (one, { x: level, estimate, invalid, own, flags }) => ({
    x: level, estimate, point: one.run, state: stateOf({ invalid, own }),
    text: [named(one), `${level} outstanding`, `${told(estimate, write)} ${unit}`.trim(), flagWords({ invalid, flags })].filter(Boolean).join("\n"),
  });
  return lines(
    `${title} ${about}, a line for each run, with 95 % intervals`,
    all.map((one) => ({ name: named(one), rows: one.rows.map((each) => row(one, each)), turn: [one.run, runs.length] })), x, unit || "mean latency",
    unit ? { min: 0 } : latencyAxis());
}

function drawOverview() {
  const overview = dataOf("overview-findings");
  overview.charts.forEach((chart, index) => (
    figure(`overlay-${index}`, () => overlay(overview, chart), (run) => { location.hash = `r${run + 1}`; })
  ));
}
