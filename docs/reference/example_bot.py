"""A whole bot: it plays any legal action, and comes back after whatever happens."""

import json
import random
import time
from itertools import count
from pathlib import Path

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect

URL, NAME, KEY = "ws://localhost:8765/ws", "greta", Path("greta.token")
BOT = {"program": "shrug", "games": ["connect_four", "tic_tac_toe"], "slots": 4}
AGAIN = ("session/flood", "room/busy", "room/moving", "server/not-stored")  # did not happen


def play(socket):
    """Play over one connection until it ends."""
    ids, asked, plays, invited = count(1), {}, {}, set()

    def send(**message):
        if message not in asked.values():  # else it is on its way already
            asked[number := next(ids)] = message
            socket.send(json.dumps({**message, "id": number}))

    login = {"token": KEY.read_text()} if KEY.exists() else {"name": NAME}
    send(type="hello", version=1, bot=BOT, **login)
    for frame in socket:
        message = json.loads(frame)
        request = asked.pop(message.get("re"), {})
        match message:
            case {"type": "welcome", "token": str(token)}:
                KEY.touch(0o600)  # who can read it is greta
                KEY.write_text(token)
            case {"type": "invited", "room": room}:
                invited.add(room)
                send(type="join", room=room, code=message.get("code"))
            case {"type": "room", "room": room, "state": "waiting", "seat": 0 | 1 as me}:
                other = message["seats"][1 - me]
                asked_to = room in invited or message["ready"][1 - me]
                if other is None and room not in invited:
                    send(type="leave", room=room)  # the other player has left
                elif other and asked_to and not message["ready"][me]:
                    send(type="ready", room=room)
                    invited.discard(room)
            case {"type": "match", "match": name, "turn": turn, "legal": [*actions]}:
                if plays.get(name, {}).get("turn") != turn:  # else the same question again
                    action = random.choice(actions)
                    plays[name] = {"type": "play", "match": name, "turn": turn, "action": action}
                send(**plays[name])
            case {"type": "match", "match": name}:
                plays.pop(name, None)
            case {"type": "error", "legal": [*actions]} if request:  # the server will not have it
                plays[request["match"]] = {**request, "action": random.choice(actions)}
                send(**plays[request["match"]])
            case {"type": "error", "code": code} if code in AGAIN and request:
                time.sleep(message.get("retry_ms", 1_000) / 1_000)  # sooner is refused again
                send(**request)
            case {"type": "error" | "bye", "code": code, "text": text}:
                print(code, text, flush=True)
                if code == "session/replaced" or request.get("type") == "hello":
                    raise SystemExit(1)


def main():
    """Play, and come back with growing pauses."""
    pause = 0.25
    while True:
        began = time.monotonic()
        try:
            with connect(URL, compression=None) as socket:
                play(socket)
        except (OSError, WebSocketException) as error:
            print(error, flush=True)
        if time.monotonic() - began > 60:
            pause = 0.25
        time.sleep(pause * random.uniform(0.5, 1.5))  # uneven: not all bots come in one moment
        pause = min(15, 2 * pause)


if __name__ == "__main__":
    main()
