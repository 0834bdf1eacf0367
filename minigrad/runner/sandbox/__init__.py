"""The sandbox of a student's process: layers, each optional, each tested before it is relied on.

Read `layers` (their names, and how a process puts them on), then `kernel` (what Linux offers). This folder runs in the
student's process too: it imports the standard library only.
"""
