// What the page of a run was made from, and the names of its points. Must not draw.

const FOUND = dataOf("findings");
const POINTS = FOUND.points;

const pointName = (point) => `Small=${point.small}, Large=${point.large}`;
const SMALL_LEVELS = distinct(POINTS.map((point) => point.small));
const LARGE_LEVELS = distinct(POINTS.map((point) => point.large));

/** The flags of a point in words; nothing when there are none. */
function flagWords(point) {
  const flags = [...point.flags];
  if (point.invalid) flags.unshift("not to be used");
  return flags.join(", ");
}

/** What a mark of the point has to show: numbers that must not be used, or a flag of its own. */
function stateOf(point) {
  if (point.invalid) return "bad";
  return point.own ? "care" : undefined;
}
