"""The teacher's desk: pages for reading and marking a class.

Read `frame` (a request, a reply, what all pages need), `tables` (the class, a student), `blind_reading` (the next
answer that nobody has read), `wrong` (wrong answers by behaviour), `marking` (everything that writes), then `desk`,
whose `Desk.answer` makes every reply, independently of the server. Two servers call it: `local` on this computer, and
`extension` within a Jupyter Server.
"""
