"""What examines a bot or a game: `plyhouse doctor`.

To a bot a scripted server speaks protocol/SPEC.md, and to no other client, so what happens
depends on the bot alone.
"""
