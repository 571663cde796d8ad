// The page of settings that were proven: what came of each value. Must not judge.

const FOUND = dataOf("proof");

/** Lines over the values of a setting; `write` tells a figure. */
function overValues(label, all, x, y, write, more) {
  const rows = ({ name, rows }) => ({
    name, rows: rows.map(([value, estimate]) => ({ x: value, estimate, text: `${name}\n${x}: ${number(value)}\n${told(estimate, write)}` })),
  });
  const values = distinct(all.flatMap((one) => one.rows.map(([value]) => value)));
  const scale = axis(x, { type: "category", data: values.map(String), boundaryGap: false });
  const placed = all.map(rows).map((one) => ({ ...one, rows: one.rows.map((row) => ({ ...row, x: values.indexOf(row.x) })) }));
  return lines(label, placed, scale, y, more);
}

start(FOUND.regrets.length + FOUND.shares.length > 0, () => {
  const times = (value) => `${number(value)} times the fastest`;
  figure("regrets", () => overValues("Median regret over random_page_cost", FOUND.regrets, "random_page_cost", "times the fastest plan", times, { type: "log" }));
  for (const [name, all] of FOUND.shares) {
    figure(`shares-${name}`, () => overValues(`Share of the best rate over ${name}`, all, name, "share of the best", perCent, { min: 0 }));
  }
  drawAll();
});
