"""Three clients as a new user would write them, from a specification alone: no line of ours is imported.

Each is a script that is given the address of its collection, works through what its user does in a day, and ends with
a code other than 0 where an answer is not what the specification promises.
"""
