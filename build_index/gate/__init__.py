"""What stands between a built segment and the pointer: shrink guard and publish gate."""
