"""What faces share: calls, replies, the table from errors to statuses, access, wire shapes."""
