"""Measurements: load, fault proxy, runs beside other engines and servers."""
