// The page of a run: what can be chosen in it, and every figure. Last of its parts.

function listen() {
  const point = document.getElementById("point");
  fill(point, POINTS.map((one, index) => [index, pointName(one) + (one.invalid ? " ✕" : one.own ? " !" : "")]));
  point.addEventListener("change", () => choose(Number(point.value)));
  for (const own of ["small", "large"]) {
    document.getElementById(`own-${own}`).addEventListener("change", () => {
      CHOSEN.own = own;
      choose(CHOSEN.point);
    });
  }
  const level = document.getElementById("latency-level");
  if (level) {
    const other = FOUND.has_small ? "Large" : "Small";
    fill(level, latencyLevels().map((one) => [one, `${other}=${one}`]));
    level.addEventListener("change", () => drawAll(["latency"]));
  }
  for (const button of document.querySelectorAll("button[data-point]")) {
    button.addEventListener("click", () => {
      choose(Number(button.dataset.point));
      document.getElementById("one-point").scrollIntoView();
    });
  }
}

function register() {
  figure("iops", iopsCurves, choose);
  figure("mbps", mbpsCurves, choose);
  figure("latency", latencyCurves, choose);
  figure("search-small", () => searchCurve("small"), choose);
  figure("search-large", () => searchCurve("large"), choose);
  figure("heat-iops", () => matrix("small", "iops", " IOPS", number, brief), choose);
  figure("heat-mbps", () => matrix("large", "mbps", " MBPS", number, brief), choose);
  figure("heat-latency", () => matrix(FOUND.has_small ? "small" : "large", "mean", "", time, briefTime), choose);
  figure("loss-small", () => interference("small"), choose);
  figure("loss-large", () => interference("large"), choose);
  figure("histogram", histogram, choose);
  figure("percentiles", percentiles, choose);
  figure("latency-time", latencyOverTime, choose);
  figure("inside", inside, choose);
  figure("run-small", () => overTheRun("small"), choose);
  figure("run-large", () => overTheRun("large"), choose);
}

start(POINTS.length > 0 || FOUND.curves.length > 0, () => {
  listen();
  register();
  drawAll();
  if (POINTS.length > 0) choose(FOUND.first);
});
