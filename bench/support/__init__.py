"""What measurements and tests share: processes, clients, a fault proxy, reports."""
