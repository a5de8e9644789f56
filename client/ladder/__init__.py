"""Ladders as a person sees them: `plyhouse ladder`, its tables, and the report as a folder."""
