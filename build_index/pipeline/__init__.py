"""The build job: read, cut, embed, write, review, publish."""
