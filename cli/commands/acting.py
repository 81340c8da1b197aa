"""Commands that do something to connectors: `restart`, `pause`, `resume`, `stop`, `delete`."""

import click

from cli.commands import resources
from cli.commands.asking import confirmed, yes_option
from cli.commands.naming import cluster_option, complete_connectors, found, names_argument
from cli.ends import Cannot
from cli.following import follow
from cli.output import count, output_option
from cli.session import Session, pass_session
from cli.values import Filter, Options, Verb

done_output = output_option("table", "json", "yaml")


@click.command("restart")
@names_argument
@click.option("--tasks", is_flag=True, help="The connector and its tasks.")
@click.option("--failed", is_flag=True, help="Only what has failed, of connectors and tasks.")
@click.option("-c", "--cluster", "clusters", multiple=True, metavar="NAME", help="Of this cluster, or of several.")
@click.option("-q", "--query", default="", help="Of what a search of the fleet finds (control room).")
@click.option("--all-clusters", is_flag=True, help="Of all clusters of the control room.")
@done_output
@pass_session
def restart(
    session: Session,
    names: tuple[str, ...],
    tasks: bool,
    failed: bool,
    clusters: tuple[str, ...],
    query: str,
    all_clusters: bool,
    output: str,
) -> None:
    """Restart connectors, and see to it that they run. Without options the connector alone, not its tasks.

    Ends with 0 only if all of it runs again, else with 1 and the causes.
    """
    if names:
        if query or all_clusters or len(clusters) > 1:
            raise Cannot("Either names, or --query, --all-clusters or several clusters.")
        rows = found(session, names, next(iter(clusters), ""))
        options = Options(only_failed=failed, include_tasks=tasks or failed)
        follow(session.target.act(Verb.RESTART, rows, options), output)
        return
    if not failed:
        raise Cannot("Say which: a NAME, or --failed for all that has failed.")
    if all_clusters and (query or clusters):
        raise Cannot("Either --all-clusters, or --cluster and --query.")
    follow(session.target.restart_failed(Filter(query, clusters), everywhere=all_clusters), output)


def _command(verb: Verb, text: str) -> click.Command:
    @click.command(verb.value, help=text)
    @click.argument("names", nargs=-1, required=True, metavar="NAME...", shell_complete=complete_connectors)
    @cluster_option
    @done_output
    @pass_session
    def command(session: Session, names: tuple[str, ...], cluster: str, output: str) -> None:
        follow(session.target.act(verb, found(session, names, cluster), Options()), output)

    return command


@click.command("delete")
@names_argument
@click.option("-f", "--file", "files", multiple=True, help="Delete the resources of this file or folder; - is stdin.")
@cluster_option
@yes_option
@done_output
@pass_session
def delete(session: Session, names: tuple[str, ...], files: tuple[str, ...], cluster: str, yes: bool, output: str) -> None:
    """Delete connectors by name, or resources by file. Offsets stay in Kafka."""
    if bool(names) == bool(files):
        raise Cannot("Either names of connectors, or --file with resources.")
    if files:
        resources.delete_files(session.target, files, yes=yes)
        return
    rows = found(session, names, cluster)
    confirmed(f"Delete {count(len(rows), 'connector')}: {', '.join(str(row.ref) for row in rows)}?", yes=yes)
    follow(session.target.act(Verb.DELETE, rows, Options()), output)


COMMANDS = [
    restart,
    _command(Verb.PAUSE, "Pause connectors: their tasks stay, and read nothing."),
    _command(Verb.RESUME, "Let connectors that are paused or stopped run."),
    _command(Verb.STOP, "Stop connectors: their tasks end, and their offsets can be changed."),
    delete,
]
