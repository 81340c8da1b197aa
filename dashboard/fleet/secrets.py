"""What of a config is a secret: the command line hides the same."""

from connect_client.secrets import HIDDEN, is_mask, is_secret, scrubbed, without_secrets

__all__ = ["HIDDEN", "is_mask", "is_secret", "scrubbed", "without_secrets"]
