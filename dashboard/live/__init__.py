"""How a change reaches an open page: the follower publishes it on Redis, every web process passes it to its streams.

Redis only carries word that something changed, never the state itself. Without it pages fetch what they show every few seconds.
"""
