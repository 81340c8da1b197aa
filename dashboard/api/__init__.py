"""`/api/v1/`: what the control room can do, for automation: by token or by session, with the same roles."""
