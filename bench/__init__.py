"""Drover side by side with Apache Kafka Connect, on one machine and one broker: `make bench`."""
