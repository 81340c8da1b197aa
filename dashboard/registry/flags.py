"""What curl has to be told to be let in."""

from shlex import quote

from dashboard.models import Cluster


def flags(cluster: Cluster) -> str:
    """No secrets: curl asks for a password, a token is taken from the shell, and certificates are files of whoever types."""
    found = []
    if cluster.auth == Cluster.Auth.BASIC:
        found.append(f"-u {quote(cluster.username)}")
    if cluster.auth == Cluster.Auth.BEARER:
        found.append('-H "Authorization: Bearer $TOKEN"')
    if cluster.authorities:
        found.append("--cacert authorities.pem")
    if cluster.certificate:
        found.append("--cert certificate.pem --key private-key.pem")
    return " ".join(found)
