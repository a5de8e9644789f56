"""A host's tools: who is here, and what is done about it; each act is an event."""
