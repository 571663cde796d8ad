// The page of a run: what can be chosen in it, and every figure. Last of the parts that are the body of `runPage`.

const redraw = (names) => drawAll(names.map((name) => ids + name));

function listen() {
  const point = part("point");
  fill(point, POINTS.map((one, index) => [index, pointName(one) + (one.invalid ? " ✕" : one.own ? " !" : "")]));
  point.addEventListener("change", () => choose(Number(point.value)));
  for (const own of ["small", "large"]) {
    part(`own-${own}`).addEventListener("change", () => {
      CHOSEN.own = own;
      choose(CHOSEN.point);
    });
  }
  const level = part("latency-level");
  if (level) {
    const other = FOUND.has_small ? "Large" : "Small";
    fill(level, latencyLevels().map((one) => [one, `${other}=${one}`]));
    level.addEventListener("change", () => redraw(["latency"]));
  }
  for (const button of root.querySelectorAll("button[data-point]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.point));
      part("one-point").scrollIntoView();
    });
  }
}

const FIGURES_OF_RUN = {
  iops: iopsCurves,
  mbps: mbpsCurves,
  latency: latencyCurves,
  "search-small": () => searchCurve("small"),
  "search-large": () => searchCurve("large"),
  "heat-iops": () => matrix("small", "iops", " IOPS", number, brief),
  "heat-mbps": () => matrix("large", "mbps", " MBPS", number, brief),
  "heat-latency": () => matrix(FOUND.has_small ? "small" : "large", "mean", "", time, briefTime),
  "loss-small": () => interference("small"),
  "loss-large": () => interference("large"),
  histogram,
  percentiles,
  "latency-time": latencyOverTime,
  inside,
  "run-small": () => overTheRun("small"),
  "run-large": () => overTheRun("large"),
};

if (POINTS.length > 0) listen();
Object.entries(FIGURES_OF_RUN).forEach(([name, option]) => figure(ids + name, option, choose));
redraw(Object.keys(FIGURES_OF_RUN));
if (POINTS.length > 0) choose(FOUND.first);
