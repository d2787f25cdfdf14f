"""Documents to index rows, for builds and live writes alike."""
