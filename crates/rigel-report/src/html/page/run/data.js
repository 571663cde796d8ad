// What the page of a run was made from, and the names of its points. Must not draw.

const FOUND = dataOf(`${ids}findings`);
const part = (id) => document.getElementById(ids + id);
const POINTS = FOUND.points;

const pointName = (point) => point.name;
const [MAIN] = FOUND.classes;
/** The matrix has the first two classes as its axes. */
const [ACROSS, UP] = FOUND.axes;
const levelsOf = (axis) => (axis ? distinct(POINTS.map((point) => point.levels[axis.name] ?? 0)) : [0]);
