"""Face `roblox`: the API of the Roblox documentation server, at `/{collection}`."""
