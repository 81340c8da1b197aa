"""Connectors as documents that are kept in git: KafkaConnector and KafkaMirrorMaker2 as Strimzi defines them, without Kubernetes.

`spec` and `orders` read a document, `decide` says what is to be done next, `run` does it, `runner` does so for all of them. See
docs/resources.md and docs/decisions/0037-resources.md.
"""
