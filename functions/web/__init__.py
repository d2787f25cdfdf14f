"""The frame around every face: app factory, error table, access, wiring and adapters to Lambda."""
