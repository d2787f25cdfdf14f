"""Face `codebase`: the code-knowledge server's API, at `/{collection}` of every collection of profile `code`."""
