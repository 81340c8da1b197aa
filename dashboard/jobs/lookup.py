"""From the database to what is shown of jobs: of each only the connectors that whoever looks may see."""

from collections import defaultdict
from collections.abc import Iterable

from django.db.models import Count

from dashboard.activity import Who
from dashboard.jobs.claims import UNENDED
from dashboard.jobs.page import FAILED, PAGE_SIZE, JobPage, JobsPage, JobView, Show, Tally, item_view, tally
from dashboard.jobs.verbs import JobVerb
from dashboard.models import Job, JobItem
from dashboard.rights.roles import Rights, Role

JOBS_PAGE = 50


def jobs(rights: Rights, page: int = 1) -> JobsPage:
    """Those that run, all of them, before those that have been, by pages."""
    start = (page - 1) * JOBS_PAGE
    running = Job.objects.filter(state__in=UNENDED).order_by("-pk") if page == 1 else Job.objects.none()
    past = list(Job.objects.exclude(state__in=UNENDED).order_by("-pk")[start : start + JOBS_PAGE + 1])
    views = {view.job.pk: view for view in _views([*running, *past[:JOBS_PAGE]], rights)}
    return JobsPage(_of(running, views), _of(past[:JOBS_PAGE], views), page, len(past) > JOBS_PAGE)


def _of(jobs: Iterable[Job], views: dict[int, JobView]) -> tuple[JobView, ...]:
    return tuple(views[job.pk] for job in jobs if job.pk in views)


def _views(jobs: list[Job], rights: Rights) -> list[JobView]:
    """Without jobs of which nothing may be seen."""
    states: defaultdict[int, dict[str, int]] = defaultdict(dict)
    items = JobItem.objects.filter(job__in=jobs)
    if rights.everywhere(Role.VIEWER):
        for job, state, number in items.values_list("job", "state").annotate(Count("pk")):
            states[job][state] = number
    else:
        for job, state, cluster, connector in items.values_list("job", "state", "cluster_name", "connector"):
            if rights.may(Role.VIEWER, cluster, connector):
                states[job][state] = states[job].get(state, 0) + 1
    return [JobView(job, Tally(JobVerb(job.verb), states[job.pk])) for job in jobs if states[job.pk]]


def job(pk: int, rights: Rights, who: Who, show: Show = Show.ALL, page: int = 1) -> JobPage | None:
    """None: there is none, or nothing of it may be seen. Its items stay in their places, whatever becomes of them."""
    found = Job.objects.filter(pk=pk).first()
    if found is None:
        return None
    rows = JobItem.objects.filter(job=found).order_by("pk").values_list("pk", "state", "cluster_name", "connector")
    seen = [row for row in rows if rights.may(Role.VIEWER, row[2], row[3])]
    if not seen:
        return None
    verb = JobVerb(found.verb)
    shown = [row[0] for row in seen if show is Show.ALL or row[1] in FAILED]
    pages = max(1, -(-len(shown) // PAGE_SIZE))
    page = min(page, pages)
    items = JobItem.objects.in_bulk(shown[(page - 1) * PAGE_SIZE : page * PAGE_SIZE])
    return JobPage(
        view=JobView(found, tally(verb, [row[1] for row in seen])),
        items=tuple(item_view(verb, items[pk]) for pk in sorted(items)),
        show=show,
        page=page,
        pages=pages,
        cannot_cancel=cannot_cancel(found, ((row[2], row[3]) for row in seen), rights, who),
    )


def cannot_cancel(job: Job, connectors: Iterable[tuple[str, str]], rights: Rights, who: Who) -> str:
    """A job is ended by whoever asked for it, or by who might have asked for all of it that he sees."""
    role = JobVerb(job.verb).role
    if job.by == who.name or all(rights.may(role, cluster, name) for cluster, name in connectors):
        return ""
    return f"Takes the role {role.name.lower()} for each of its connectors, or to be {job.by}"
