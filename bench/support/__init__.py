"""What measurements and tests share: server processes, clients, a fault proxy, plots."""
