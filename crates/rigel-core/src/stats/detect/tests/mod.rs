mod contents;
mod modes;
mod series;
mod visits;
