mod modes;
mod series;
mod visits;
