"""The Roblox engine API: its dump, its reference pages and its guides."""
