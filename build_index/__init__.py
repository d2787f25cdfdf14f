"""The build job: sources in, immutable segments out."""
