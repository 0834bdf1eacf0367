"""Run a student's code within limits, and in processes that can be killed.

Read `timeout` (the time limit and the errors of one call) and `budgets` (how much a submission may use) first. The
other files are for the judge, which trusts no process: `process` (runs one submission in a process, and ends it if it
is late), `servers` and `server` (which fork the process), `channel` and `codec` (messages), `student` and
`student_objects` (the student's side), and `sandbox`.

`server`, `student`, `student_objects`, `channel`, `codec`, `cell_statements`, `silence` and the sandbox also run in the
student's process. They import only each other, NumPy and the standard library, because minigrad may be missing there.
"""
