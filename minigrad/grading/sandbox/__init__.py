"""The sandbox of a student's process: layers, each optional, each tested before it is relied on.

layers : their names, and how a process puts them on. limits : 0, of the process itself, on every Unix. landlock and
filters : 1, by the kernel of Linux. namespaces : 2. bubblewrap : 3. users : 4, where the judge is root.

This folder runs in the student's process too: it imports the standard library only.
"""
