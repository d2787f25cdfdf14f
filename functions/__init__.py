"""What runs: three Lambda handlers, one local ASGI app, and the user's command line."""
