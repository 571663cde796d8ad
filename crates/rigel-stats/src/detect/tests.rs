mod contents;
mod course;
mod limits;
mod modes;
mod series;
mod visits;
