"""The artifact, read: mapped files, and a version's segments as one index."""
