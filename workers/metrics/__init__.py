"""What a worker knows of its own work, in figures: plain counters where the work is done, sent to Redis every few seconds.

Nothing in here is truth, and nothing waits for it. docs/metrics.md says what each figure means.
"""
