"""Face `sites`: documents per site, chat messages kept 30 days, and the context of a question, at `/{collection}`."""
