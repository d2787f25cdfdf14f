"""What Lambda needs around the app: events, streaming, snapshots."""
