"""The sandbox of a student's process: layers, each optional, each tested before it is relied on.

Read `layers` (their names, and how a process puts them on), `kernel` (what Linux offers), `bubblewrap` (a file system
of its own). This folder runs in the student's process too: it imports the standard library only.
"""
