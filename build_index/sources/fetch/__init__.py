"""From a location to a local folder: paths, git repositories, archives behind a URL."""
