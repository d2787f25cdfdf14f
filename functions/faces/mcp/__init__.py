"""Model Context Protocol: the collections as tools and resources for agents, over HTTP at `/mcp` and over stdio."""
