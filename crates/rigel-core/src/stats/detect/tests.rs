mod contents;
mod limits;
mod modes;
mod series;
mod visits;
