"""The contract on the wire.  Knows no game and no socket; SPEC.md beside this file describes it."""
