"""A question to hits: understand, gather, fuse, lift, diversify, calibrate."""
