"""What a connector's own client settings become."""

from workers.runtime.kafka_frames import _client_name, _options


def test_properties_are_options_of_sparks_kafka_source_and_sink() -> None:
    assert _options({"acks": "1", "sasl.mechanism": "PLAIN"}) == {"kafka.acks": "1", "kafka.sasl.mechanism": "PLAIN"}


def test_a_client_made_with_other_properties_is_another_client() -> None:
    """Spark keeps a consumer by its group's name, with the properties that it was made with."""
    first, second = _client_name("connect-a", {"a": "1", "b": "2"}), _client_name("connect-a", {"a": "1"})
    assert len({"connect-a", first, second}) == 3
    assert _client_name("connect-a", {"b": "2", "a": "1"}) == first
    assert _client_name("connect-a", {}) == "connect-a"
