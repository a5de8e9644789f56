"""Bots at a server: they connect, sit down, think, answer, and come back.

From a connection down to one decision, each part holds the next:

    BotPool      pool.py         several bots of one owner
    Runner       runner.py       one bot at one server, in as many matches as it has slots
    RoomPlayer   room.py         that bot in one room: it gets ready, and leaves
    MatchPlayer  match.py        that bot in one match: it thinks, plays, and answers offers
    SearchTask   search_task.py  one decision, made on a worker thread
    Bot          ../bot.py       a position and a budget in, a choice out

An Entry (entry.py) is a bot as its owner set it up, and Terms (terms.py) are what it plays by in
one room: the entry, and what an invitation asked for.
"""
