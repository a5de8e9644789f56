"""The laboratory: what trains, measures, traces and examines bots.  No other package imports it."""
