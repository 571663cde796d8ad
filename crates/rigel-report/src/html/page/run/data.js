// What the page of a run was made from, and the names of its points. Must not draw.

const FOUND = dataOf(`${ids}findings`);
const part = (id) => document.getElementById(ids + id);
const POINTS = FOUND.points;

const pointName = (point) => `Small=${point.small}, Large=${point.large}`;
const SMALL_LEVELS = distinct(POINTS.map((point) => point.small));
const LARGE_LEVELS = distinct(POINTS.map((point) => point.large));
