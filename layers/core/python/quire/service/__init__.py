"""The use cases behind every face, the native API, the command line and MCP."""
