"""Clients of Kafka Connect's REST API that others wrote, unchanged: the same commands to Apache Kafka Connect and to Drover.

What fails on Apache Kafka Connect 4.3 as well is left out: `kc validate-config` sends its JSON as a JSON string. So is what never
asks a cluster differently: `kc restart --all` takes `--state` and ignores it.
"""
