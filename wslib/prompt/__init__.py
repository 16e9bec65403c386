"""Searches and networks for one who looks into them, at a prompt or in a notebook: they print and draw themselves.

One search or several of a position (:mod:`.searches`), what each has found (:mod:`.result`), networks that can be asked
(:mod:`.networks`) and kept as files (:mod:`.network_file`), a game against a player (:mod:`.against`). The rooms above
do without all of it.
"""
